import Mesh
package import Primitives

/// Looks at what every running node shows, once a second, while things break.
package protocol SampleChecker {
    mutating func look(at snapshot: MeshSnapshot) -> String?
}

/// I2: no link outlives its peer's instance by more than the time that silence takes to be noticed.
package struct LinksFollowInstances: SampleChecker {
    private struct Raise {
        var at: Instant
        /// When bytes first arrived after it: the word among them.
        var isToldFrom: Instant?
    }

    private let nodeCount: Int
    /// By node and peer, the peer's latest.
    private var raises: [Raise?]

    package init(nodeCount: Int) {
        self.nodeCount = nodeCount
        raises = Array(repeating: nil, count: nodeCount * nodeCount)
    }

    package mutating func look(at snapshot: MeshSnapshot) -> String? {
        for node in snapshot.nodes {
            for view in node.views where view.isUp {
                guard let link = view.link, let other = snapshot.node(view.peer) else { continue }
                let theirs = view.isLeader ? link.followerInstance : link.leaderInstance
                // Silence tells of a boot that is gone, whatever the way is like. Of a raise tells only word in a
                // carrier, which is late where bytes are lost, and waits where there is none.
                let isSameBoot = other.advancedFrom.map { $0 <= theirs } ?? false
                let toldFrom = isSameBoot ? isToldFrom(other, at: node.index, view, snapshot.at) : .zero
                let since = max(other.labelledAt, node.hinderedUntil ?? .zero, toldFrom)
                guard SimLimits.instanceLagMax + snapshot.patience(of: node, after: since) < snapshot.at - since,
                    theirs != other.instance
                else { continue }
                return "node \(node.index): \(view.peer) up as \(theirs), \(other.instance) since \(other.labelledAt)"
            }
        }
        return nil
    }

    private mutating func isToldFrom(
        _ raised: MeshSnapshot.Node, at node: Int, _ view: MeshSnapshot.View, _ now: Instant
    ) -> Instant {
        let index = node * nodeCount + view.peer
        var raise = Raise(at: raised.labelledAt)
        if let known = raises[index], known.at == raise.at { raise = known }
        raise.isToldFrom = raise.isToldFrom ?? view.isToldSince
        raises[index] = raise
        return raise.isToldFrom ?? now
    }
}

/// I7: a link that the other side does not have up ends, also while things break. With whoever starts anew every second
/// there is another link each time; none of them is older than it looks.
package struct HalfOpenLinksEnd: SampleChecker {
    private struct HalfOpen {
        var link: LinkID?
        var since: Instant
    }

    private let nodeCount: Int
    private var known: [HalfOpen?]

    package init(nodeCount: Int) {
        self.nodeCount = nodeCount
        known = Array(repeating: nil, count: nodeCount * nodeCount)
    }

    package mutating func look(at snapshot: MeshSnapshot) -> String? {
        // Of whom the picture shows nothing, nothing is known to have lasted.
        let before = known
        known = Array(repeating: nil, count: known.count)
        for node in snapshot.nodes {
            for view in node.views {
                let index = node.index * nodeCount + view.peer
                let other = snapshot.node(view.peer)
                let isBack = other?.views.first { $0.peer == node.index }?.isUp ?? false
                guard view.isUp, !isBack, let other else { continue }
                // The time of who stood still begins when it goes on, and that of who heard nobody when it hears
                // again: every silence begins anew there (docs/decisions/015-own-deafness.md). While a spell lasts
                // there is patience, once.
                let seen = before[index].flatMap { $0.link == view.link ? $0.since : nil }
                // It may have come and gone between two looks; of a boot that has just begun silence tells.
                let upAt = view.upFor.map { snapshot.at - $0 } ?? .zero
                // Answered, the node may believe in the link again; that the other side hears of it too needs one
                // packet more, which an outage can take.
                let first = max(
                    seen ?? snapshot.at, upAt, other.labelledAt, node.hinderedUntil ?? .zero,
                    other.hinderedUntil ?? .zero, node.beganAnewAt ?? .zero, view.interruptedTripAt ?? .zero)
                known[index] = HalfOpen(link: view.link, since: first)
                let patience = snapshot.patience(of: node, after: first)
                if SimLimits.halfOpenMax + .seconds(1) + patience < snapshot.at - first {
                    return "node \(node.index) has had \(view.peer) up since \(first), and not the other way"
                }
            }
        }
        return nil
    }
}

/// I9: a node shows nobody twice, not itself, and nobody who does not exist.
package struct TablesAreBounded: SampleChecker {
    private let nodeCount: Int

    package init(nodeCount: Int) { self.nodeCount = nodeCount }

    package mutating func look(at snapshot: MeshSnapshot) -> String? {
        for node in snapshot.nodes {
            if nodeCount <= node.peersShown { return "node \(node.index) shows \(node.peersShown) peers" }
            if node.views.contains(where: { $0.peer == node.index }) { return "node \(node.index) shows itself" }
            for peer in 0..<nodeCount where 1 < node.views.count(where: { $0.peer == peer }) {
                return "node \(node.index) shows \(peer) more than once"
            }
        }
        return nil
    }
}

/// Who is told of events alone, as a node's voice path is, knows what its status shows: of each link its path, whether
/// the peer listens and whether it talks. And whether it listens is true, where the peer has long been able to say so.
package struct EventsTellAll: SampleChecker {
    package init() {}

    package mutating func look(at snapshot: MeshSnapshot) -> String? {
        for node in snapshot.nodes {
            for view in node.views where view.isUp && view.reported != view.shown {
                return "node \(node.index) shows \(view.shown) of \(view.peer), and has told \(view.reported)"
            }
            for view in node.views where view.isUp && view.listens ?? view.reported.listens != view.reported.listens {
                return
                    "node \(node.index) has long told that \(view.peer) listens: \(view.reported.listens); it is not so"
            }
            for view in node.views where view.isUp && view.talks ?? view.reported.isTalking != view.reported.isTalking {
                return
                    "node \(node.index) has long told that \(view.peer) talks: \(view.reported.isTalking); it is not so"
            }
        }
        return nil
    }
}

/// Failures are forgotten after the link has stood for long enough, not sooner and not never; or all at once by a node
/// that takes the fault for its own, which `ResetsAreRare` holds to what the world knows.
///
/// A reference, for it is told both what nodes show and what they do.
package final class StabilityIsEarned: SampleChecker, SafetyChecker {
    private struct Past {
        /// A boot with a rolled-back counter bears the instance of the one before.
        var labelledAt: Instant
        var failures: Int
        /// Seen with failures, a carrier and enough standing already once.
        var isOverdue = false
        /// Its link may have stood long enough, and been lost again, before the next look.
        var mayEarn = false
    }

    private let nodeCount: Int
    private var past: [Past?]

    package init(nodeCount: Int) {
        self.nodeCount = nodeCount
        past = Array(repeating: nil, count: nodeCount * nodeCount)
    }

    package func observe(_ observation: Observation, at instant: Instant) -> String? {
        guard case .reset(let node) = observation else { return nil }
        for peer in 0..<nodeCount { past[node * nodeCount + peer] = nil }
        return nil
    }

    package func look(at snapshot: MeshSnapshot) -> String? {
        let present = past
        past = Array(repeating: nil, count: past.count)
        for node in snapshot.unhindered(for: SimLimits.lookInterval * 2) {
            for view in node.views {
                let index = node.index * nodeCount + view.peer
                let before = present[index]
                let hasStood = view.upFor.map { SimLimits.stableAfter <= $0 } ?? false
                let isOverdue = hasStood && view.state == .up && view.hasCarrier && 0 < view.failures
                let mayEarn = view.upFor.map { SimLimits.stableAfter <= $0 + SimLimits.lookInterval * 2 } ?? false
                past[index] = Past(
                    labelledAt: node.labelledAt, failures: view.failures, isOverdue: isOverdue, mayEarn: mayEarn)
                guard let before, before.labelledAt == node.labelledAt else { continue }
                if view.failures < before.failures, !before.mayEarn, let upFor = view.upFor,
                    upFor < SimLimits.stableAfter
                {
                    return "node \(node.index) forgot \(before.failures) failures of \(view.peer) after \(upFor)"
                }
                if isOverdue, before.isOverdue, before.failures == view.failures {
                    return "node \(node.index) still counts \(view.failures) failures of \(view.peer), up and stable"
                }
            }
        }
        return nil
    }
}
