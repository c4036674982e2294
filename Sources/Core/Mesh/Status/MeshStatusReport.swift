package import Primitives
import Wire

extension MeshNode {
    /// Returns the mesh as this node sees it at `now`.
    package func status(now: Instant) -> MeshStatus {
        let linked = peers.peers.filter { $0.state.isLinked }
        var matrix = [AdvertisedLinks(node: node, name: own.record.name, entries: ownLinkStates())]
        for peer in linked {
            matrix.append(AdvertisedLinks(node: peer.node, name: name(of: peer.node), entries: peer.links))
        }
        return MeshStatus(
            node: node, instance: own.record.instance, bootNonce: own.record.bootNonce, mesh: configuration.mesh,
            name: own.record.name, peers: peers.peers.map { status(of: $0) }.sorted { $0.node < $1.node },
            matrix: matrix, isCliqueComplete: clique.isComplete, peersKnown: expectedCount(now: now),
            counters: counters.nonZero.map { ("\($0.name)", $0.value) }, digest: gossip.digest,
            peersAgreeingOnDigest: linked.count { $0.session?.peerDigest == gossip.digest },
            pairsRelayed: relaying.pairCount(now: now), localHealth: health.score, nextDeadline: deadline)
    }

    private func name(of peer: NodeID) -> SafeText { roster[peer]?.record.name ?? SafeText("") }

    func status(of peer: PeerLink) -> PeerStatus {
        let record = roster[peer.node]?.record
        let session = peer.state.isLinked ? peer.session : nil
        let path = session?.paths.chosenPath
        return PeerStatus(
            node: peer.node, name: record?.name ?? SafeText(""), role: record?.role ?? SafeText(""),
            colour: record?.colour ?? 0, instance: session?.instance ?? record?.instance, slot: peer.slot,
            state: PeerStatus.State(peer.state), presence: peer.presence,
            suspicionEndsAt: peer.presence.suspicion?.deadline(
                healthFactor: health.factor, policy: configuration.suspicion),
            isFlapping: peer.flaps.isDamped, controlLossPermille: session?.controlLoss.permille ?? 0,
            isLeader: peer.isLeader, link: session?.link, path: path?.kind,
            via: path?.neighbour, endpoint: path?.endpoint, hasCarrier: peer.session?.carrier != nil,
            carrierVia: peer.session?.carrier.flatMap { carriers[$0]?.via }, rtt: path?.rtt,
            lossInPermille: Int(peer.ownReport?.lossPermille ?? 0),
            lossOutPermille: Int(peer.peerReport?.lossPermille ?? 0), upSince: peer.state.upSince,
            lastHeard: peer.session?.heardAt, retryAt: peer.state.retryAt, failures: peer.backoff.failures,
            lastFailure: peer.lastFailure?.description, isTalking: peer.isTalking,
            isRecording: peer.isRecording, channels: peer.channels, report: peer.peerReport)
    }
}

extension PeerStatus.State {
    init(_ state: LinkState) {
        switch state {
        case .down: self = .down
        case .connecting: self = .connecting
        case .inviting: self = .inviting
        case .awaitingInvite: self = .awaitingInvite
        case .awaitingDecision: self = .awaitingDecision
        case .up: self = .up
        case .verifying: self = .verifying
        case .quarantined: self = .quarantined
        }
    }
}

extension LinkState {
    /// When the next attempt may start; nil where the state waits for none.
    var retryAt: Instant? {
        switch self {
        case .down(let dialAt): dialAt == .distantFuture ? nil : dialAt
        case .quarantined(let until): until
        case .awaitingDecision(let until): until == .distantFuture ? nil : until
        case .connecting, .inviting, .awaitingInvite, .up, .verifying: nil
        }
    }
}
