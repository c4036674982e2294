import Channels
import Mesh
import Primitives
import Trust

/// An event in the world's queue.
enum Happening {
    case wake(node: Int)
    /// `author` is the node that sent the datagram, even if a stranger delivers it. It is nil if a bit is flipped,
    /// because no node can open that datagram.
    case datagram(to: Int, address: IPAddress, [UInt8], from: Endpoint, digest: UInt64, author: Int?)
    case beacon(to: Int, [UInt8], from: Endpoint, digest: UInt64)
    case hint(to: Int, life: UInt32, SimAdvert)
    case stream(CarrierModel.StreamTicket)
    /// An input for the present instant. It goes through the queue, because it must not be given while the node's own
    /// `handle` runs.
    case input(host: Int, life: UInt32, MeshInput, digest: UInt64)
    /// Likewise, an input from the tunnels that end at the process.
    case tunnelInput(host: Int, life: UInt32, MeshInput, digest: UInt64)
    /// Core has opened the gate of a carrier at which input waits.
    case gateOpened(node: Int, life: UInt32, CarrierID)
    case fault(Fault)
    case resume(node: Int, life: UInt32)
    /// The process of a node that has left ends.
    case quit(node: Int, life: UInt32)
    /// A slow processor begins or stops to read. Void if the processor was slowed or freed again since.
    case turn(node: Int, episode: UInt32)
    /// The advanced instance counter is on disk.
    case advanced(node: Int, life: UInt32, Instance)
    /// The process has compared two codes.
    case codeProved(node: Int, life: UInt32, CarrierID, CodeResult)
    /// The process has done a step of the proof of a channel's code.
    case channelCodeWorked(node: Int, life: UInt32, ChannelTaskID, CodeResult)
    /// The mesh is on disk.
    indirect case meshStored(node: Int, life: UInt32, ClosedMesh)
    /// A talker's next voice packet.
    case voice(talker: Int, every: Interval)
    /// A node's sound cards have the next block.
    case soundBlock(node: Int, life: UInt32)
    /// The checkers look at the status of every node.
    case look
    case personActs(PersonAct)
    /// A hostile member does something wrong.
    case hostileAct(member: Int)
    /// Promise L5 (a death is noticed): by now every neighbour's link to the dead process must be down.
    case detectionDue(Death, observers: [DeathObserver])
}

/// An act of a person of a run.
enum PersonAct {
    case name
    case call
    /// Joins or parts a channel with a code.
    case joinByCode
    /// Changes the code of a mesh.
    case changeCode
}

/// Counts of what a run did, for statistics. They are not part of the trace.
package struct WorldCounts: Hashable, Sendable {
    /// Events that nodes handled, without wake-ups that came too early because a deadline had moved.
    package var events: UInt64 = 0
    package var datagramsSent: UInt64 = 0
    package var datagramsDelivered: UInt64 = 0
    package var framesSent: UInt64 = 0
    package var dials: UInt64 = 0
    package var invitations: UInt64 = 0
    package var voicePacketsHeard: UInt64 = 0
    package var ghostsDropped: UInt64 = 0
    package var bytesSent: UInt64 = 0
    package var beacons: UInt64 = 0
    package var linksLost: UInt64 = 0
    package var probesAnswered: UInt64 = 0
    package var duplicatesReported: UInt64 = 0
    package var advances: UInt64 = 0

    package init() {}

    package mutating func add(_ other: WorldCounts) {
        events += other.events
        datagramsSent += other.datagramsSent
        datagramsDelivered += other.datagramsDelivered
        framesSent += other.framesSent
        dials += other.dials
        invitations += other.invitations
        voicePacketsHeard += other.voicePacketsHeard
        ghostsDropped += other.ghostsDropped
        bytesSent += other.bytesSent
        beacons += other.beacons
        linksLost += other.linksLost
        probesAnswered += other.probesAnswered
        duplicatesReported += other.duplicatesReported
        advances += other.advances
    }
}
