import Mesh
import Primitives

/// What the world's queue holds.
enum Happening {
    case wake(node: Int)
    /// Of an author whoever brings it; nil where a bit is flipped, and nobody will open it.
    case datagram(to: Int, address: IPAddress, [UInt8], from: Endpoint, digest: UInt64, author: Int?)
    case beacon(to: Int, [UInt8], from: Endpoint, digest: UInt64)
    case hint(to: Int, life: UInt32, PeerHint)
    case stream(CarrierModel.StreamTicket)
    /// Told at once, but not from inside the node's own `handle`.
    case input(host: Int, life: UInt32, MeshInput, digest: UInt64)
    /// The same of what the process itself keeps: tunnels.
    case tunnelInput(host: Int, life: UInt32, MeshInput, digest: UInt64)
    case fault(Fault)
    case resume(node: Int, life: UInt32)
    /// A node that said good-bye ends its process.
    case quit(node: Int, life: UInt32)
    /// A slow processor gets round to reading, or stops again; void where it was slowed or freed anew since.
    case turn(node: Int, episode: UInt32)
    /// The raised counter is on disk.
    case raised(node: Int, life: UInt32, Instance)
    /// A talker's next voice packet.
    case voice(talker: Int, every: Interval)
    /// A node's sound cards have the next block.
    case soundBlock(node: Int, life: UInt32)
    /// Somebody looks at what every node shows.
    case look
    /// L5: by now every neighbour's link to the dead process must be down.
    case detectionDue(Death, observers: [DeathObserver])
}

/// What a run did, for figures; not part of the trace.
package struct WorldCounts: Hashable, Sendable {
    /// Events handled; wake-ups that came too early because a deadline moved are not counted.
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
    package var raises: UInt64 = 0

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
        raises += other.raises
    }
}
