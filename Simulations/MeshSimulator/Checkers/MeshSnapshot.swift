package import Mesh
package import Primitives
package import Wire

/// The whole mesh at one instant: the true state, and what the status of each node shows.
package struct MeshSnapshot: Sendable {
    /// State of a link that is up, as the other parts of a node, such as the voice path, must know it.
    package struct Reported: Hashable, Sendable {
        package var path = PathKind.direct
        /// The neighbour that relays; nil unless `path` leads through a neighbour.
        package var neighbour: NodeID?
        package var listens = false
        package var isTalking = false

        package init() {}
    }

    package struct View: Sendable {
        package var peer: Int
        package var state: PeerStatus.State
        package var isLeader: Bool
        package var link: LinkID?
        /// How long the link has been up; nil while it is not up.
        package var upFor: Interval?
        /// Number of attempts that failed in a row.
        package var failures: Int
        package var hasCarrier: Bool
        /// When the next attempt may start, by the world's clock; nil if the node waits for no attempt.
        package var retryAt: Instant?
        /// The highest instance that the node knows of the peer; set only while the node waits after failures.
        package var known: Instance?
        /// Whether the last attempt ended with a refusal; set only while the node waits after failures.
        package var isRefused = false
        /// Since when a direct carrier from the peer has delivered without delay, so that the report of the peer's
        /// advance must have arrived; nil while no carrier does; `.zero` if the peer has not advanced its instance.
        package var isReportedSince: Instant? = .zero
        /// When the last round trip of this node to the peer ended, if this node's next packet may not have reached the
        /// peer: since then a datagram to the peer was lost or a fault touched the two nodes, or the route to the peer
        /// takes no datagrams now. Nil in all other cases.
        package var interruptedTripAt: Instant?
        /// `shown`: the state of this link that the node's status shows. `reported`: the state of this link that the
        /// node's events have reported.
        package var shown = Reported()
        package var reported = Reported()
        /// Whether the peer listens to `SimLimits.channel`, as the world knows it; nil unless the peer has long been
        /// able to report it.
        package var listens: Bool?
        /// Whether this node must be shown that the peer talks, as the world knows it. The peer shows its talk on a
        /// channel with a code only to nodes that have proved the code to it. Nil where the world does not know: if
        /// `listens` is nil, for a moment after the peer has begun or ended to talk, and, if only a channel with a code
        /// could show the talk to this node, while both nodes have that code or just after one of them has changed its
        /// codes.
        package var talks: Bool?

        package init(
            peer: Int, state: PeerStatus.State, isLeader: Bool, link: LinkID?, upFor: Interval?, failures: Int = 0,
            hasCarrier: Bool = true, retryAt: Instant? = nil
        ) {
            self.failures = failures
            self.hasCarrier = hasCarrier
            self.retryAt = retryAt
            self.peer = peer
            self.state = state
            self.isLeader = isLeader
            self.link = link
            self.upFor = upFor
        }

        package var isUp: Bool { state == .up || state == .verifying }
    }

    package struct Node: Sendable {
        package var index: Int
        package var instance: Instance
        package var views: [View]
        /// Since when the node has had this instance.
        package var labelledAt = Instant.zero
        /// The instance with which the process started, if it has changed to a higher one since; nil otherwise.
        package var advancedFrom: Instance?
        /// Until when the node could not judge its peers in time, because its process was paused or slow, or its clock
        /// was moved. The instant of the snapshot while that lasts; nil or `.zero` if it never happened.
        package var hinderedUntil: Instant?
        /// End of the last receive outage; the instant of the snapshot while one lasts. Nil if there was none, or if
        /// the mesh is so small that a node judges no receive outage.
        package var receiveOutageUntil: Instant?
        /// When the node last received something after a receive outage so long that it began to measure the silence of
        /// every peer from zero; nil if that never happened.
        package var beganAnewAt: Instant?
        /// Number of peers in the node's status, including peers that are not in the snapshot.
        package var peersShown = 0
        package var digest: UInt32 = 0
        package var isCliqueComplete = true

        package init(index: Int, instance: Instance, views: [View]) {
            self.index = index
            self.instance = instance
            self.views = views
        }
    }

    package var at: Instant
    /// Those of the nodes that the caller asked for whose process is not off (it may be paused), in rising order.
    package var nodes: [Node]
    /// Greatest number of peers that a node may show: the other nodes, and invented ones beside a sybil or a liar.
    package var peersMax: Int

    package init(at: Instant, nodes: [Node], peersMax: Int) {
        self.at = at
        self.nodes = nodes
        self.peersMax = peersMax
    }

    /// Returns the extra time for which a node may keep a link when the reason to end that link arose at `instant`:
    /// `SimLimits.doubtMax` if that is before the end of the node's last receive outage or less than `doubtMax` after
    /// it, else zero. A node that receives nothing first looks for the fault in itself
    /// (docs/decisions/015-receive-outage.md).
    package func patience(of node: Node, after instant: Instant) -> Interval {
        guard let receiveOutageUntil = node.receiveOutageUntil, instant < receiveOutageUntil + SimLimits.doubtMax else {
            return .zero
        }
        return SimLimits.doubtMax
    }

    /// Returns the nodes that were not paused, slowed or given another clock during the last `length`.
    package func unhindered(for length: Interval) -> [Node] {
        nodes.filter { $0.hinderedUntil.map { $0 + length < at } ?? true }
    }

    package func node(_ index: Int) -> Node? { nodes.first { $0.index == index } }

    /// Whether the mesh has been at rest for longer than the nodes remember any wait or failure. Every node has had
    /// every other node up for twice `SimLimits.stableAfter`, and has a carrier to it; no node knows a further peer or
    /// counts a failure. In the last `SimLimits.faultsApartMax` no node was paused, slowed or given another clock.
    package var isCalm: Bool {
        let isUnhindered = unhindered(for: SimLimits.faultsApartMax).count == nodes.count
        return isUnhindered
            && nodes.allSatisfy { node in
                node.peersShown == nodes.count - 1
                    && node.views.allSatisfy { view in
                        view.state == .up && view.failures == 0 && view.hasCarrier
                            && SimLimits.stableAfter * 2 < view.upFor ?? .zero
                    }
            }
    }
}

/// Judges a mesh that has had time to come to rest.
package protocol SnapshotChecker {
    func judge(_ snapshot: MeshSnapshot) -> String?
}

/// Promise I1: a pair has one link. Both sides give it the same id, and exactly one side leads.
package struct OneLinkPerPair: SnapshotChecker {
    package init() {}

    package func judge(_ snapshot: MeshSnapshot) -> String? {
        for node in snapshot.nodes {
            for view in node.views where view.isUp {
                guard node.views.count(where: { $0.peer == view.peer }) == 1 else {
                    return "node \(node.index) lists \(view.peer) more than once"
                }
                guard let other = snapshot.node(view.peer),
                    let back = other.views.first(where: { $0.peer == node.index }), back.isUp
                else { continue }
                guard let link = view.link, link == back.link else {
                    return "\(node.index) and \(view.peer) are linked by \(name(view.link)) and \(name(back.link))"
                }
                guard view.isLeader != back.isLeader else {
                    return "\(node.index) and \(view.peer) agree on no leader of \(link)"
                }
            }
        }
        return nil
    }

    private func name(_ link: LinkID?) -> String { link.map { "\($0)" } ?? "none" }
}

/// Promise I2: the id of each link that is up names the present instances of both nodes.
package struct LinksAreCurrent: SnapshotChecker {
    package init() {}

    package func judge(_ snapshot: MeshSnapshot) -> String? {
        for node in snapshot.nodes {
            for view in node.views where view.isUp {
                guard let link = view.link, let other = snapshot.node(view.peer) else { continue }
                let own = view.isLeader ? link.leaderInstance : link.followerInstance
                let theirs = view.isLeader ? link.followerInstance : link.leaderInstance
                guard own == node.instance, theirs == other.instance else {
                    return "\(node.index) as \(node.instance) and \(view.peer) as \(other.instance) "
                        + "are linked by \(link)"
                }
            }
        }
        return nil
    }
}

/// Promise I7: a link that one node has had up for longer than `SimLimits.halfOpenMax` is up at its peer too.
package struct NoLinkIsHalfOpen: SnapshotChecker {
    package init() {}

    package func judge(_ snapshot: MeshSnapshot) -> String? {
        for node in snapshot.nodes {
            for view in node.views {
                guard view.isUp, let upFor = view.upFor, SimLimits.halfOpenMax < upFor else { continue }
                let back = snapshot.node(view.peer)?.views.first { $0.peer == node.index }
                guard back?.isUp == true else {
                    return "\(node.index) has had \(view.peer) up for \(upFor), but not the reverse"
                }
            }
        }
        return nil
    }
}

extension MeshSnapshot {
    /// Returns the first violation, with the name of its checker.
    package func violation() -> Violation? {
        let checkers: [any SnapshotChecker] = [OneLinkPerPair(), LinksAreCurrent(), NoLinkIsHalfOpen()]
        for checker in checkers {
            if let text = checker.judge(self) {
                return Violation(kind: .safety, checker: "\(type(of: checker))", text: text, at: at)
            }
        }
        return nil
    }
}
