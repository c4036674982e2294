package import Primitives

/// When a node wants to be woken, and why, so that a wake-up can always be explained.
package struct MeshDeadline: Hashable, Sendable {
    package var at: Instant
    package var reason: MeshTimer

    package init(at: Instant, reason: MeshTimer) {
        self.at = at
        self.reason = reason
    }
}

/// The earliest deadline of every peer and of the node itself, kept so that finding the next one
/// is one short scan.
package struct DeadlineCache: Sendable {
    private static let never = MeshDeadline(at: .distantFuture, reason: .control)
    private var ofPeer: [MeshDeadline] = []
    private var ofNode = DeadlineCache.never
    /// Something changed that may move the deadlines of other peers.
    package var needsRefresh = false

    package init() { ofPeer.reserveCapacity(MeshScale.peersMax) }

    package mutating func set(_ deadline: MeshDeadline, ofPeer index: Int) {
        while ofPeer.count <= index { ofPeer.append(DeadlineCache.never) }
        ofPeer[index] = deadline
    }

    package mutating func setOfNode(_ deadline: MeshDeadline) { ofNode = deadline }

    package func isDue(peer index: Int, now: Instant) -> Bool { ofPeer[index].at <= now }

    package var next: MeshDeadline? {
        var best = ofNode
        for deadline in ofPeer where deadline.at < best.at { best = deadline }
        return best.at == .distantFuture ? nil : best
    }
}

/// The least of several deadlines, with its reason.
struct EarliestDeadline {
    private(set) var deadline = MeshDeadline(at: .distantFuture, reason: .control)

    mutating func consider(_ at: Instant, _ reason: MeshTimer) {
        if at < deadline.at { deadline = MeshDeadline(at: at, reason: reason) }
    }
}
