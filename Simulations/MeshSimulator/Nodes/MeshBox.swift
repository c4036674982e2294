import Mesh
import Primitives
import Wire

/// Keeps a node in one place: as an optional value it would be copied at every look.
final class MeshBox {
    /// Memory of its own, for each access to a stored property would be recorded and compared at run time with those
    /// under way. Nothing that a node calls comes back to its box.
    private let node: UnsafeMutablePointer<MeshNode>

    init(_ node: consuming MeshNode) {
        self.node = .allocate(capacity: 1)
        self.node.initialize(to: node)
    }

    deinit {
        node.deinitialize(count: 1)
        node.deallocate()
    }

    func handle(_ input: MeshInput, now: Instant) { node.pointee.handle(input, now: now) }
    func nextOutput() -> MeshOutput? { node.pointee.nextOutput() }
    func nextDeadline() -> MeshDeadline? { node.pointee.nextDeadline }
    func status(now: Instant) -> MeshStatus { node.pointee.status(now: now) }
    func summary() -> MeshSummary { node.pointee.summary }
    func visitLinks(_ body: (NodeID, PeerStatus.State, PathKind?) -> Void) { node.pointee.visitLinks(body) }
    func peerSnapshot(into peer: NodeID, now: Instant) -> PeerSnapshot {
        node.pointee.peerSnapshot(into: peer, now: now)
    }
    func counted(_ counters: [MeshCounter]) -> UInt64 { node.pointee.counted(counters) }
}
