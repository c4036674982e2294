import Mesh
import Primitives

/// Checks what running nodes show, also while faults happen: once a second, in a calm mesh every ten seconds.
package protocol SampleChecker {
    mutating func look(at snapshot: MeshSnapshot) -> String?
}

/// Promise I2: no link outlives the instance of its peer by more than the time that a node takes to notice silence. If
/// the peer has advanced its instance, that time begins when the report of the advance can arrive.
package struct LinksFollowInstances: SampleChecker {
    private struct Advance {
        var at: Instant
        /// The instant since which a carrier from the peer has delivered without delay, as first seen after the
        /// advance; nil before. The report of the advance is among the bytes that this carrier delivers.
        var isReportedFrom: Instant?
    }

    private let nodeCount: Int
    /// By node and peer: the last advance of the peer.
    private var advances: [Advance?]

    package init(nodeCount: Int) {
        self.nodeCount = nodeCount
        advances = Array(repeating: nil, count: nodeCount * nodeCount)
    }

    package mutating func look(at snapshot: MeshSnapshot) -> String? {
        for node in snapshot.nodes {
            for view in node.views where view.isUp {
                guard let link = view.link, let other = snapshot.node(view.peer) else { continue }
                let theirs = view.isLeader ? link.followerInstance : link.leaderInstance
                // A node notices by silence that a boot has ended, however bad the network is. An advance is reported
                // only by a message on a carrier. That message is late if bytes are lost, and waits while there is no
                // carrier.
                let isSameBoot = other.advancedFrom.map { $0 <= theirs } ?? false
                let toldFrom = isSameBoot ? isReportedFrom(other, at: node.index, view, snapshot.at) : .zero
                let since = max(other.labelledAt, node.hinderedUntil ?? .zero, toldFrom)
                guard SimLimits.instanceLagMax + snapshot.patience(of: node, after: since) < snapshot.at - since,
                    theirs != other.instance
                else { continue }
                return "node \(node.index): \(view.peer) up as \(theirs), \(other.instance) since \(other.labelledAt)"
            }
        }
        return nil
    }

    private mutating func isReportedFrom(
        _ advanced: MeshSnapshot.Node, at node: Int, _ view: MeshSnapshot.View, _ now: Instant
    ) -> Instant {
        let index = node * nodeCount + view.peer
        var advance = Advance(at: advanced.labelledAt)
        if let known = advances[index], known.at == advance.at { advance = known }
        advance.isReportedFrom = advance.isReportedFrom ?? view.isReportedSince
        advances[index] = advance
        return advance.isReportedFrom ?? now
    }
}

/// Promise I7: if only one side has a link up, that link ends, also while faults happen. A peer that restarts every
/// second has another link each time, so each link has a time of its own.
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
        // If this snapshot does not show a half-open link, the time of that link begins anew when a later snapshot
        // shows it.
        let before = known
        known = Array(repeating: nil, count: known.count)
        for node in snapshot.nodes {
            for view in node.views {
                let index = node.index * nodeCount + view.peer
                let other = snapshot.node(view.peer)
                let isBack = other?.views.first { $0.peer == node.index }?.isUp ?? false
                guard view.isUp, !isBack, let other else { continue }
                // `first` is the instant from which this half-open link is timed. If one of the two nodes was paused,
                // that is when its process goes on. If this node had a receive outage, it is when the node receives
                // again: the node then measures every silence from zero (docs/decisions/015-receive-outage.md). If
                // `first` is before the end of the outage or soon after it, `patience` makes the bound longer.
                let seen = before[index].flatMap { $0.link == view.link ? $0.since : nil }
                // The link may have gone down and come up again between two snapshots. So `first` is not before the
                // instant at which the link last came up (`upAt`), nor before the one at which the peer got its present
                // instance (`labelledAt`): this node notices only by the silence of the peer's former boot that the
                // peer has started again.
                let upAt = view.upFor.map { snapshot.at - $0 } ?? .zero
                // An echo from the peer keeps the link up at this node. To keep its own end up, the peer needs the next
                // packet of this node, and a fault can take that packet. So if a fault followed the last round trip of
                // this node, the link is timed from the end of that round trip (`interruptedTripAt`).
                let first = max(
                    seen ?? snapshot.at, upAt, other.labelledAt, node.hinderedUntil ?? .zero,
                    other.hinderedUntil ?? .zero, node.beganAnewAt ?? .zero, view.interruptedTripAt ?? .zero)
                known[index] = HalfOpen(link: view.link, since: first)
                let patience = snapshot.patience(of: node, after: first)
                if SimLimits.halfOpenMax + .seconds(1) + patience < snapshot.at - first {
                    return "node \(node.index) has had \(view.peer) up since \(first), but not the reverse"
                }
            }
        }
        return nil
    }
}

/// Promise I9: a node does not show itself, shows no peer twice, and shows no more peers than the mesh has other nodes.
/// Beside a member that invents peers, it shows no more than it has slots.
package struct TablesAreBounded: SampleChecker {
    private let nodeCount: Int

    package init(nodeCount: Int) { self.nodeCount = nodeCount }

    package mutating func look(at snapshot: MeshSnapshot) -> String? {
        for node in snapshot.nodes {
            if snapshot.peersMax < node.peersShown {
                return "node \(node.index) shows \(node.peersShown) peers"
            }
            if node.views.contains(where: { $0.peer == node.index }) { return "node \(node.index) shows itself" }
            for peer in 0..<nodeCount where 1 < node.views.count(where: { $0.peer == peer }) {
                return "node \(node.index) shows \(peer) more than once"
            }
        }
        return nil
    }
}

/// The events of a node report all that its status shows of each link: its path, whether the peer listens, and whether
/// the peer talks. This is needed because the voice path of a node gets only the events. What they say of listening and
/// talking must also be true, once the peer has had enough time to report it.
package struct EventsTellAll: SampleChecker {
    package init() {}

    package mutating func look(at snapshot: MeshSnapshot) -> String? {
        for node in snapshot.nodes {
            for view in node.views where view.isUp && view.reported != view.shown {
                return "node \(node.index) shows \(view.shown) of \(view.peer), but has reported \(view.reported)"
            }
            for view in node.views where view.isUp && view.listens ?? view.reported.listens != view.reported.listens {
                return
                    "node \(node.index) wrongly reports of \(view.peer): listens \(view.reported.listens)"
            }
            for view in node.views where view.isUp && view.talks ?? view.reported.isTalking != view.reported.isTalking {
                return
                    "node \(node.index) wrongly reports of \(view.peer): talks \(view.reported.isTalking)"
            }
        }
        return nil
    }
}

/// A node forgets the failures of a peer after the link has been up for `SimLimits.stableAfter`: not earlier, and soon
/// after. A node whose table of peers is full may forget a peer that is down sooner, with its failures, and give the
/// slot to a new peer.
package struct StabilityIsEarned: SampleChecker {
    private struct Past {
        /// When the node got its instance. It tells boots apart: a boot with a rolled-back counter has the instance of
        /// an earlier boot.
        var labelledAt: Instant
        var failures: Int
        /// Whether the node still counted failures of the peer in the snapshot of this entry, although the link was up
        /// with a carrier, and had been up for `SimLimits.stableAfter`.
        var isOverdue = false
        /// Whether the link may be up for `SimLimits.stableAfter`, and be lost again, before the next look.
        var mayEarn = false
        /// Whether all slots were taken.
        var isTableFull = false
    }

    private let nodeCount: Int
    private var past: [Past?]

    package init(nodeCount: Int) {
        self.nodeCount = nodeCount
        past = Array(repeating: nil, count: nodeCount * nodeCount)
    }

    package mutating func look(at snapshot: MeshSnapshot) -> String? {
        let present = past
        past = Array(repeating: nil, count: past.count)
        for node in snapshot.unhindered(for: SimLimits.lookInterval * 2) {
            for view in node.views {
                let index = node.index * nodeCount + view.peer
                let before = present[index]
                let hasStood = view.upFor.map { SimLimits.stableAfter <= $0 } ?? false
                let isOverdue = hasStood && view.state == .up && view.hasCarrier && 0 < view.failures
                let mayEarn = view.upFor.map { SimLimits.stableAfter <= $0 + SimLimits.lookInterval * 2 } ?? false
                let isTableFull = MeshScale.peersMax <= node.peersShown
                past[index] = Past(
                    labelledAt: node.labelledAt, failures: view.failures, isOverdue: isOverdue, mayEarn: mayEarn,
                    isTableFull: isTableFull)
                guard let before, before.labelledAt == node.labelledAt else { continue }
                // If the table of peers was full in one of the two snapshots, the node may have given this peer's slot
                // to a new peer for a while. Then the node was right to forget the failures of this peer.
                if view.failures < before.failures, !before.mayEarn, !before.isTableFull, !isTableFull,
                    let upFor = view.upFor, upFor < SimLimits.stableAfter
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
