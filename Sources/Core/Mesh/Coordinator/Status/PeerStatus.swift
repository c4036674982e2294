package import Primitives
package import Wire

/// One other node as this node sees it at one instant, for `status`. `MeshNode.status(of:)` makes it.
package struct PeerStatus: Sendable {
    package enum State: String, Sendable, CaseIterable {
        case down, connecting, inviting, awaitingInvite, awaitingDecision, up, verifying, quarantined
    }

    package var node: NodeID
    package var profile: NodeProfile
    package var instance: Instance?
    package var slot: PeerSlot?
    package var state: State
    package var presence = PeerPresence.unmet
    /// When a suspected peer will count as dead.
    package var suspicionEndsAt: Instant?
    /// Whether the peer's link comes and goes.
    package var isFlapping = false
    /// Share of the peer's control blocks that are lost on the way to this node.
    package var controlLossPermille = 0
    package var isLeader = false
    package var link: LinkID?
    package var path: PathKind?
    /// The common neighbour through which the chosen path leads; nil where it leads through none.
    package var via: NodeID?
    package var endpoint: Endpoint?
    package var hasCarrier = false
    /// The neighbour through which the carrier goes; nil where it is direct or there is no carrier.
    package var carrierVia: NodeID?
    package var rtt: Interval?
    package var lossInPermille = 0
    package var lossOutPermille = 0
    package var upSince: Instant?
    package var lastHeard: Instant?
    /// When the next attempt may start.
    package var retryAt: Instant?
    package var failures = 0
    /// Why the last attempt or the link failed; nil if it did not.
    package var failure: LinkFailure?
    /// The peer's request to be linked, about which the person at this node has not decided; nil if there is none.
    package var request: LinkRequest?
    package var isTalking = false
    package var isRecording = false
    /// The channels to which the peer listens.
    package var channels: [ChannelID] = []
    /// The channels on which the peer may talk and to which it does not listen, as the peer advertises them.
    package var talks: [ChannelID] = []
    /// The channels on which the peer talks now.
    package var talksOn: [ChannelID] = []
    /// The talk of this node that the peer does not play.
    package var refusedTalk: RefusedTalk = []
    /// The peer's report on what it receives from this node.
    package var report: ReceptionReport?
}

extension PeerStatus {
    package var name: SafeText { profile.name }

    /// The failure for people.
    package var lastFailure: String? { failure?.description }

    /// Makes the status of a peer of which only identity, name and state are known.
    package init(node: NodeID, name: SafeText, state: State) {
        self.node = node
        profile = NodeProfile(name: name)
        self.state = state
    }
}

extension MeshNode {
    /// The facts that this node knows of each peer, in the order of their ids.
    package var peers: [PeerStatus] { links.indicesByNode.map { status(of: $0) } }

    /// Returns what this node knows of one peer, without the cost of the status of all peers; nil if the peer has no
    /// slot.
    package func peer(_ node: NodeID) -> PeerStatus? { links.index(of: node).map { status(of: $0) } }

    /// Returns what this node knows of the peer in a slot. To show one more fact, add a property above and an argument
    /// here.
    func status(of index: Int) -> PeerStatus {
        let peer = links[index]
        let heard = paths[index]
        let record = membership.roster[peer.node]?.record
        let session = peer.state.isLinked ? peer.session : nil
        let set = peer.state.isLinked ? paths[index].current : nil
        let path = set?.table.chosenPath
        let state = shownState(of: index)
        return PeerStatus(
            node: peer.node, profile: record?.profile ?? NodeProfile(name: SafeText("")),
            instance: session?.instance ?? record?.instance, slot: peer.slot,
            state: PeerStatus.State(state, reachability[index].backoff),
            presence: detector[index].presence,
            suspicionEndsAt: detector.suspicionEnd(of: index),
            isFlapping: detector[index].flaps.isDamped, controlLossPermille: set?.controlLoss.permille ?? 0,
            isLeader: peer.isLeader, link: session?.link, path: path?.kind,
            via: path?.neighbour, endpoint: path?.endpoint, hasCarrier: peer.session?.carrier != nil,
            carrierVia: peer.session?.carrier.flatMap { links.carriers[$0]?.via }, rtt: path?.rtt,
            lossInPermille: Int(heard.ownReport?.lossPermille ?? 0),
            lossOutPermille: Int(heard.peerReport?.lossPermille ?? 0), upSince: state.upSince,
            lastHeard: paths[index].current?.heardAt, retryAt: state.retryAt,
            failures: reachability[index].backoff.failures,
            failure: peer.lastFailure, request: linkRequest(of: index), isTalking: heard.isTalking,
            isRecording: heard.isRecording, channels: membership[index].channels,
            talks: membership[index].talks,
            talksOn: heard.tally.map { membership[index].channels(of: $0) } ?? [], refusedTalk: heard.refusedTalk,
            report: heard.peerReport)
    }

    /// The state of a link as people see it. A blocked peer that is refused has a wait too, but this node does not dial
    /// the peer at its end. So the wait is not shown.
    private func shownState(of index: Int) -> LinkState {
        let state = links[index].state
        return state.isDown && isBlocked(links[index].node) ? .down(dialAt: .distantFuture) : state
    }
}

/// A peer waits for the decision of the person at this node.
package struct LinkRequest: Hashable, Sendable {
    /// Since when a decision of the person is awaited.
    package var since: Instant
    /// Whether a carrier of the peer on which its HELLO has come is open at this node now. Without one the peer may be
    /// gone, or about to connect again.
    package var isConnected: Bool

    package init(since: Instant, isConnected: Bool) { (self.since, self.isConnected) = (since, isConnected) }
}

extension MeshNode {
    private func linkRequest(of index: Int) -> LinkRequest? {
        let peer = links[index].node
        guard let since = links[index].askedAt, decision(about: peer) == .undecided, !isBlocked(peer) else {
            return nil
        }
        let isConnected = links.carriers.entries(of: links[index].slot).contains { $0.greeting != nil }
        return LinkRequest(since: since, isConnected: isConnected)
    }
}

extension PeerStatus.State {
    init(_ state: LinkState, _ backoff: Backoff) {
        switch state {
        case .down(let dialAt): self = backoff.isQuarantine && dialAt != .distantFuture ? .quarantined : .down
        case .connecting: self = .connecting
        case .inviting: self = .inviting
        case .awaitingInvite: self = .awaitingInvite
        case .awaitingDecision: self = .awaitingDecision
        case .up: self = .up
        case .verifying: self = .verifying
        }
    }
}

extension LinkState {
    /// When the next attempt may start; nil where the state waits for none.
    var retryAt: Instant? {
        switch self {
        case .down(let dialAt): dialAt == .distantFuture ? nil : dialAt
        case .awaitingDecision(let until): until == .distantFuture ? nil : until
        case .connecting, .inviting, .awaitingInvite, .up, .verifying: nil
        }
    }
}

/// What this node knows of one peer at one instant, in enough detail to explain why there is no link. Instants are of
/// this node's clock. `status` shows less.
package struct PeerSnapshot: Sendable {
    /// What the roster knows of the peer; nil if the roster has no record of the peer.
    package var known: Knowledge?
    /// The state of the peer's slot; nil where the peer has none.
    package var link: Link?

    package struct Knowledge: Sendable {
        package var instance: Instance
        package var sequence: UInt32
        package var seenAt: Instant
        /// Whether the record counts: it has not expired, and it is not a leaving one.
        package var isCurrent: Bool
    }

    package struct Link: Sendable {
        package var status: PeerStatus
        package var state: LinkState
        package var renewal: CarrierRenewal
        package var paths: [Path]
        /// The index in `paths` of the path that carries the voice.
        package var chosenPath: Int?
        package var addresses: AddressBook
        /// The dials of the present attempt.
        package var dials: DialPlan
        package var nextConnectRequestAt: Instant?
        package var connectRequests: Int
        /// The end of the time in which this node wants a link; in the past where it wants none.
        package var wantedUntil: Instant
    }
}

extension MeshNode {
    /// Returns what this node knows of `peer` at `now`.
    package func peerSnapshot(of peer: NodeID, now: Instant) -> PeerSnapshot {
        PeerSnapshot(
            known: membership.roster[peer].map {
                PeerSnapshot.Knowledge(
                    instance: $0.instanceSeen, sequence: $0.record.sequence, seenAt: $0.seenAt,
                    isCurrent: $0.isCurrent(now: now))
            },
            link: links.index(of: peer).map { index in
                let link = links[index]
                return PeerSnapshot.Link(
                    status: status(of: index), state: link.state, renewal: link.renewal,
                    paths: paths[index].current?.table.paths ?? [], chosenPath: paths[index].current?.table.chosen,
                    addresses: reachability[index].addresses, dials: reachability[index].dials,
                    nextConnectRequestAt: reachability[index].connectRequests.nextAt == .distantFuture
                        ? nil : reachability[index].connectRequests.nextAt,
                    connectRequests: reachability[index].connectRequests.count,
                    wantedUntil: reachability[index].wantedUntil)
            })
    }
}
