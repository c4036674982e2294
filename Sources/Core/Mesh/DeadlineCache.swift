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

/// The deadline of every peer and of the node itself, with the earliest peer's at hand: it is looked
/// for only where that one moves to a later time.
package struct DeadlineCache: Sendable {
    private static let never = MeshDeadline(at: .distantFuture, reason: .control)
    private var ofPeer: [MeshDeadline] = []
    private var ofNode = DeadlineCache.never
    /// The place in `ofPeer` of the earliest; of several at one instant the first.
    private var earliest = 0
    /// Something changed that may move the deadlines of other peers.
    package var needsRefresh = false

    package init() { ofPeer.reserveCapacity(MeshScale.peersMax) }

    package mutating func set(_ deadline: MeshDeadline, ofPeer index: Int) {
        while ofPeer.count <= index { ofPeer.append(DeadlineCache.never) }
        let before = ofPeer[index].at
        ofPeer[index] = deadline
        if index == earliest {
            if before < deadline.at { findEarliest() }
        } else if (deadline.at, index) < (ofPeer[earliest].at, earliest) {
            earliest = index
        }
    }

    private mutating func findEarliest() {
        var best = 0
        for index in ofPeer.indices where ofPeer[index].at < ofPeer[best].at { best = index }
        earliest = best
    }

    package mutating func setOfNode(_ deadline: MeshDeadline) { ofNode = deadline }

    package func isDue(peer index: Int, now: Instant) -> Bool { ofPeer[index].at <= now }

    package var next: MeshDeadline? {
        let best = earliest < ofPeer.count && ofPeer[earliest].at < ofNode.at ? ofPeer[earliest] : ofNode
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
