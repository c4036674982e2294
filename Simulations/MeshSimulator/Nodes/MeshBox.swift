import Mesh
import Primitives
import Wire

/// Holds a node, which cannot be copied, at one place in memory. A reference to the box can be optional and copied.
final class MeshBox {
    /// Raw memory, because every access to a stored property would be checked at run time for overlap with other
    /// accesses. The memory is safe: nothing that a node calls accesses its box.
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
