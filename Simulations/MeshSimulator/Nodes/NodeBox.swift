import Channels
import Mesh
import Node
import Primitives
import Voice
import Wire

/// Holds a node, which cannot be copied, at one place in memory. A reference to the box can be optional and copied.
final class NodeBox {
    /// Raw memory, because Swift would check at run time that accesses to a stored property do not overlap. Without
    /// this check the memory is safe: no code that a node calls accesses the `NodeBox` of that node.
    private let node: UnsafeMutablePointer<VoiceNode>

    init(_ node: consuming VoiceNode) {
        self.node = .allocate(capacity: 1)
        self.node.initialize(to: node)
    }

    deinit {
        node.deinitialize(count: 1)
        node.deallocate()
    }

    func handle(_ input: MeshInput, now: Instant) { node.pointee.handle(input, now: now) }
    func queue(_ frame: VoiceFrame, bytes: UnsafeRawBufferPointer, now: Instant) {
        node.pointee.queue(frame, bytes: bytes, now: now)
    }
    func setKey(_ key: Int, to targets: KeyTargets, now: Instant) { node.pointee.setKey(key, to: targets, now: now) }
    func setDown(_ keys: KeySet) { node.pointee.setDown(keys) }
    func setTalking(by keys: KeySet, now: Instant) { node.pointee.setTalking(by: keys, now: now) }
    func handle(_ input: DirectoryInput, now: Instant) { node.pointee.handle(input, now: now) }
    func perform(_ command: DirectoryCommand, now: Instant) throws(DirectoryRefusal) {
        try node.pointee.perform(command, now: now)
    }
    func runUntilOutput() -> MeshOutput? { node.pointee.runUntilOutput() }
    func nextNote() -> NodeNote? { node.pointee.nextNote() }
    func perform(_ command: CallCommand, now: Instant) throws(CallRefusal) -> CallID? {
        try node.pointee.perform(command, now: now)
    }
    var calls: Calls { node.pointee.calls }
    func handle(_ input: ChannelCodeInput, now: Instant) { node.pointee.handle(input, now: now) }
    var codeCounters: Counters<ChannelCodeCounter> { node.pointee.codes.counters }
    var directory: DirectoryTable { node.pointee.directory.table }
    func successor(of channel: ChannelID) -> ChannelID? { node.pointee.directory.successor(of: channel) }
    func followsRenaming(of channel: ChannelID) -> Bool { node.pointee.directory.followsRenaming(of: channel) }
    func heardLines(of payload: [UInt8], from slot: PeerSlot) -> HeardLines? {
        node.pointee.heardLines(of: payload, from: slot)
    }
    func countPrivateTalk(heard samples: UInt64, from slot: PeerSlot, now: Instant) {
        node.pointee.countPrivateTalk(heard: samples, from: slot, now: now)
    }
    var unplayed: UnplayedPayloads { node.pointee.unplayed }
    func nextLineOrder() -> LineOrder? { node.pointee.nextLineOrder() }
    func perform(_ command: ListeningCommand, now: Instant) throws(ListeningRefusal) {
        try node.pointee.perform(command, now: now)
    }
    var list: ListeningList { node.pointee.listening.list }
    var independentRequests: UInt8 { node.pointee.voice.independentRequests }
    func nextDeadline() -> MeshDeadline? { node.pointee.nextDeadline }
    var encoder: EncoderSettings { node.pointee.voice.encoderChoice.settings }
    func status(now: Instant) -> MeshStatus { node.pointee.mesh.status(now: now) }
    func pairing(now: Instant) -> PairingStatus? { node.pointee.mesh.pairing(now: now) }
    func summary() -> MeshSummary { node.pointee.mesh.summary }
    func visitLinks(_ body: (NodeID, PeerStatus.State, PathKind?) -> Void) { node.pointee.mesh.visitLinks(body) }
    func peerSnapshot(of peer: NodeID, now: Instant) -> PeerSnapshot {
        node.pointee.mesh.peerSnapshot(of: peer, now: now)
    }
    func counted(_ counters: [MeshCounter]) -> UInt64 { node.pointee.mesh.counted(counters) }
}
