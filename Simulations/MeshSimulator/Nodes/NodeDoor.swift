import Mesh
import Primitives
import Wire

/// Which protocol the nodes of a world speak.
package enum NodeKind: Hashable, Sendable {
    case partyline
    /// The protocol that the project grew from, for comparison.
    case baseline
}

/// What the world asks of a node, whichever protocol it speaks: Core's door.
protocol NodeDoor: AnyObject {
    func handle(_ input: MeshInput, now: Instant)
    func nextOutput() -> MeshOutput?
    func nextDeadline() -> MeshDeadline?
    /// Nil where the protocol has none.
    func status(now: Instant) -> MeshStatus?
    func glimpse() -> MeshGlimpse?
    /// Nothing and nil where the protocol does not tell.
    func visitLinks(_ body: (NodeID, PeerStatus.State, PathKind?) -> Void)
    func insight(into peer: NodeID, now: Instant) -> PeerInsight?
    /// All together.
    func counted(_ counters: [MeshCounter]) -> UInt64
}

/// Keeps a node in one place: as an optional value it would be copied at every look.
final class MeshBox: NodeDoor {
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
    func status(now: Instant) -> MeshStatus? { node.pointee.status(now: now) }
    func glimpse() -> MeshGlimpse? { node.pointee.glimpse }
    func visitLinks(_ body: (NodeID, PeerStatus.State, PathKind?) -> Void) { node.pointee.visitLinks(body) }
    func insight(into peer: NodeID, now: Instant) -> PeerInsight? { node.pointee.insight(into: peer, now: now) }
    func counted(_ counters: [MeshCounter]) -> UInt64 { node.pointee.counted(counters) }
}

/// As `MeshBox`, for the baseline.
final class BaselineBox: NodeDoor {
    private var node: BaselineNode

    init(_ node: BaselineNode) { self.node = node }

    func handle(_ input: MeshInput, now: Instant) { node.handle(input, now: now) }
    func nextOutput() -> MeshOutput? { node.nextOutput() }
    func nextDeadline() -> MeshDeadline? { node.nextDeadline }
    func status(now: Instant) -> MeshStatus? { nil }
    func glimpse() -> MeshGlimpse? { nil }
    func visitLinks(_ body: (NodeID, PeerStatus.State, PathKind?) -> Void) {}
    func insight(into peer: NodeID, now: Instant) -> PeerInsight? { nil }
    func counted(_ counters: [MeshCounter]) -> UInt64 { 0 }
}
