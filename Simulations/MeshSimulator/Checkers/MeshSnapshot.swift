package import Mesh
package import Primitives
package import Wire

/// The whole mesh at one instant: what is true, and what every node shows in its status.
package struct MeshSnapshot: Sendable {
    /// What the other parts of a node have to know of a link that is up.
    package struct Reported: Hashable, Sendable {
        package var path = PathKind.direct
        /// Through whom it leads, where it leads through a neighbour.
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
        /// How long the link has been up; nil where it is not.
        package var upFor: Interval?
        /// Attempts failed in a row.
        package var failures: Int
        package var hasCarrier: Bool
        /// When the next attempt may start, in the world's time; nil where none is waited for.
        package var retryAt: Instant?
        /// The highest instance heard of, where a wait is on.
        package var known: Instance?
        /// Since when the peer's word has come by a direct carrier without delay; nil while it does not.
        package var isToldSince: Instant? = .zero
        /// When something of this node last went to the peer and was answered, where the way has been broken since.
        package var interruptedTripAt: Instant?
        /// What is so, by its status, and what its events have told.
        package var shown = Reported()
        package var reported = Reported()
        /// Whether the peer does listen, where it has long been able to say so; nil where it has not.
        package var listens: Bool?
        /// Whether the peer talks, where the same holds.
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
        /// Since when it has been `instance`.
        package var labelledAt = Instant.zero
        /// As which its boot began, where it has raised itself since.
        package var advancedFrom: Instance?
        /// Until then it could not give its verdicts; the instant of the picture where it cannot now, nil where it
        /// always could.
        package var hinderedUntil: Instant?
        /// Until then it heard nobody at all; the instant of the picture while it hears nobody, nil where it always
        /// heard somebody.
        package var receiveOutageUntil: Instant?
        /// When it last heard somebody again after so long that it began every silence anew.
        package var beganAnewAt: Instant?
        /// Everybody in its status, strangers too.
        package var peersShown = 0
        package var digest: UInt64 = 0
        package var isCliqueComplete = true

        package init(index: Int, instance: Instance, views: [View]) {
            self.index = index
            self.instance = instance
            self.views = views
        }
    }

    package var at: Instant
    /// The nodes that live and are healed, in rising order.
    package var nodes: [Node]

    package init(at: Instant, nodes: [Node]) {
        self.at = at
        self.nodes = nodes
    }

    /// How much longer than others a node may keep a link that ought to have ended after `instant`: who heard nobody
    /// blames itself first (docs/decisions/015-own-deafness.md).
    package func patience(of node: Node, after instant: Instant) -> Interval {
        guard let receiveOutageUntil = node.receiveOutageUntil, instant < receiveOutageUntil + SimLimits.doubtMax else {
            return .zero
        }
        return SimLimits.doubtMax
    }

    /// The nodes that nothing has hindered for so long.
    package func unhindered(for length: Interval) -> [Node] {
        nodes.filter { $0.hinderedUntil.map { $0 + length < at } ?? true }
    }

    package func node(_ index: Int) -> Node? { nodes.first { $0.index == index } }

    /// Whether everybody has had everybody up for longer than any wait or failure is remembered, and nothing else is
    /// known to anybody.
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

/// I1: a pair has one link, both sides call it by the same name, and one side leads.
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

/// I2: a link is between the instances that live.
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

/// I7: no link is up on one side alone for longer than `SimLimits.halfOpenMax`.
package struct NoLinkIsHalfOpen: SnapshotChecker {
    package init() {}

    package func judge(_ snapshot: MeshSnapshot) -> String? {
        for node in snapshot.nodes {
            for view in node.views {
                guard view.isUp, let upFor = view.upFor, SimLimits.halfOpenMax < upFor else { continue }
                let back = snapshot.node(view.peer)?.views.first { $0.peer == node.index }
                guard back?.isUp == true else {
                    return "\(node.index) has had \(view.peer) up for \(upFor), and not the other way"
                }
            }
        }
        return nil
    }
}

extension MeshSnapshot {
    /// The first broken promise, with its checker's name.
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
