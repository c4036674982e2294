import Mesh
package import Primitives
import Wire

/// The state of two nodes towards each other at one instant: the facts, and what each node knew. Instants are on the
/// world's clock.
package struct PairState: Sendable {
    package struct Path: Sendable {
        package var kind: String
        /// The peer's address; nil for a path through a neighbour or inside the carrier.
        package var endpoint: String?
        /// The name of the neighbour through which it leads.
        package var via: String?
        package var isProved: Bool
        package var isChosen: Bool
        /// When an echo last came of a control block that the observing node had sent over this path; nil if none came.
        package var echoedAt: Instant?
        package var rtt: Interval?
    }

    package struct Knowledge: Sendable {
        package var instance: UInt64
        package var sequence: UInt32
        package var seenAt: Instant
        /// Whether the observing node's record of the peer counts: the peer was seen recently enough, and has not left.
        package var isCurrent: Bool
    }

    /// The node's next step without further input, and why it is not sooner.
    package struct Next: Sendable {
        package var at: Instant
        package var what: String
        package var why: String
    }

    /// One side's view of the other.
    package struct Side: Sendable {
        package var name: String
        package var peerName: String
        package var process: String
        package var instance: UInt64?
        package var address: String
        package var known: Knowledge?
        /// The rest is empty if the observer has no slot for the peer.
        package var state: String?
        package var isLeader = false
        package var isLinked = false
        package var failures = 0
        package var lastFailure: String?
        package var next: Next?
        package var addresses: [String] = []
        package var dialsInProgress = 0
        package var hasCarrier = false
        package var paths: [Path] = []
    }

    package var question: RunRecord.Question
    package var at: Instant
    package var observer: Side
    package var peer: Side
    /// Obstacles that keep packets, beacons and adverts from passing between the two.
    package var obstacles: [String]

    /// - Parameter at: the instant of the question, or the end of a run that ended before it.
    init(_ question: RunRecord.Question, at: Instant, in world: World) {
        self.question = question
        self.at = at
        observer = Side(of: question.observer, at: question.peer, in: world)
        peer = Side(of: question.peer, at: question.observer, in: world)
        obstacles = Obstacles(between: question.observer, and: question.peer, in: world).lines
    }
}

extension PairState.Side {
    fileprivate init(of node: Int, at peer: Int, in world: World) {
        name = world.name(node)
        peerName = world.name(peer)
        switch world.process(of: node) {
        case .off: process = "off"
        case .running: process = "running"
        case .paused(let since): process = "standing still since \(TimeText.instant(since))"
        }
        address = "\(world.network.hosts[node].endpoint)"
        guard let status = world.status(of: node), let peerSnapshot = world.peerSnapshot(at: node, of: peer) else {
            return
        }
        instance = status.instance.number
        func instant(_ own: Instant) -> Instant { world.worldInstant(own, of: node) }
        known = peerSnapshot.known.map {
            PairState.Knowledge(
                instance: $0.instance.number, sequence: $0.sequence, seenAt: instant($0.seenAt),
                isCurrent: $0.isCurrent)
        }
        guard let link = peerSnapshot.link else { return }
        state = link.status.state.rawValue
        isLeader = link.status.isLeader
        isLinked = link.state.isLinked
        failures = link.status.failures
        lastFailure = link.status.lastFailure
        next = PairState.Next(link, instant: instant)
        addresses = link.addresses.entries.map {
            "\($0.endpoint) by \($0.source)\($0.wrongUntil == nil ? "" : ", was wrong")"
                + ($0.lastGoodAt == nil ? "" : ", was good")
        }
        dialsInProgress = link.dials.inProgress.count
        hasCarrier = link.status.hasCarrier
        paths = link.paths.enumerated().map { index, path in
            PairState.Path(
                kind: "\(path.kind)", endpoint: path.endpoint.map { "\($0)" },
                via: path.neighbour.flatMap { world.number(of: $0) }.map { world.name($0) },
                isProved: path.trust == .proved,
                isChosen: index == link.chosenPath, echoedAt: path.echoedAt.map(instant), rtt: path.rtt)
        }
    }
}

extension PairState.Next {
    fileprivate init?(_ link: PeerSnapshot.Link, instant: (Instant) -> Instant) {
        let failures = link.status.failures
        let because = link.status.lastFailure.map { ", the last: \($0)" } ?? ""
        switch link.state {
        case .down(.distantFuture):
            guard let connectRequestAt = link.nextConnectRequestAt else { return nil }
            self.init(
                at: instant(connectRequestAt), what: "sends a connect request",
                why: "it follows, and has sent \(link.connectRequests) connect requests")
        case .down(let dialAt):
            let why = failures == 0 ? "nothing has failed yet" : "backing off after \(failures) failures\(because)"
            self.init(at: instant(dialAt), what: "dials", why: why)
        case .awaitingDecision(let until):
            guard until != .distantFuture else { return nil }
            self.init(at: instant(until), what: "asks again", why: "a person has not decided")
        case .connecting(let since):
            let why = "\(link.dials.inProgress.count) dials under way, \(link.dials.waiting.count) addresses to come"
            self.init(at: instant(since + MeshLimits.helloWaitMax), what: "gives up the attempt", why: why)
        case .inviting(let negotiation):
            self.init(at: instant(negotiation.deadline), what: "gives up the attempt", why: "INVITE is not answered")
        case .awaitingInvite(let negotiation):
            self.init(at: instant(negotiation.deadline), what: "gives up the attempt", why: "no INVITE has come")
        case .verifying(let verification):
            self.init(
                at: instant(verification.since + MeshLimits.verificationMax), what: "takes the link down",
                why: "\(verification.probesSent) probes are not answered")
        case .up:
            return nil
        }
    }
}
