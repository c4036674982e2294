package import Primitives

/// The earliest deadline of every peer and of the node itself, kept so that finding the next one
/// is one short scan.
package struct DeadlineCache: Sendable {
    private static let never = Deadline<MeshTimer>(at: .distantFuture, reason: .control)
    private var ofPeer: [Deadline<MeshTimer>] = []
    private var ofNode = DeadlineCache.never
    /// Something changed that may move the deadlines of other peers.
    package var needsRefresh = false

    package init() { ofPeer.reserveCapacity(MeshScale.peersMax) }

    package mutating func set(_ deadline: Deadline<MeshTimer>, ofPeer index: Int) {
        while ofPeer.count <= index { ofPeer.append(DeadlineCache.never) }
        ofPeer[index] = deadline
    }

    package mutating func setOfNode(_ deadline: Deadline<MeshTimer>) { ofNode = deadline }

    package func isDue(peer index: Int, now: Instant) -> Bool { ofPeer[index].at <= now }

    package var next: Deadline<MeshTimer>? {
        var best = ofNode
        for deadline in ofPeer where deadline.at < best.at { best = deadline }
        return best.at == .distantFuture ? nil : best
    }
}

/// The least of several deadlines, with its reason.
struct EarliestDeadline {
    private(set) var deadline = Deadline<MeshTimer>(at: .distantFuture, reason: .control)

    mutating func consider(_ at: Instant, _ reason: MeshTimer) {
        if at < deadline.at { deadline = Deadline(at: at, reason: reason) }
    }
}
