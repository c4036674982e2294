package import Primitives
import Wire

extension MeshNode {
    /// Returns the mesh as this node sees it at `now`.
    package func status(now: Instant) -> MeshStatus {
        let linked = links.indices.filter { links[$0].state.isLinked }
        var matrix = [AdvertisedLinks(node: node, name: membership.own.record.name, entries: ownLinkStates())]
        for index in linked {
            let peer = links[index].node
            matrix.append(AdvertisedLinks(node: peer, name: name(of: peer), entries: membership[index].links))
        }
        return MeshStatus(
            node: node, instance: membership.own.record.instance, bootNonce: membership.own.record.bootNonce,
            mesh: configuration.mesh,
            name: membership.own.record.name, peers: links.indices.map { status(of: $0) }.sorted { $0.node < $1.node },
            matrix: matrix, isCliqueComplete: membership.clique.isComplete,
            peersKnown: membership.expectedCount(blocked: configuration.blocked, now: now),
            counters: effects.counters.nonZero.map { ("\($0.name)", $0.value) }, digest: membership.gossip.digest,
            peersAgreeingOnDigest: linked.count { membership[$0].recordsDigest == membership.gossip.digest },
            pairsRelayed: relay.pairCount(now: now), localHealth: detector.health.score, nextDeadline: deadline
        )
    }

    private func name(of peer: NodeID) -> SafeText { membership.name(of: peer) }

    func status(of index: Int) -> PeerStatus {
        let peer = links[index]
        let presence = detector[index].presence
        let heard = paths[index]
        let record = membership.roster[peer.node]?.record
        let session = peer.state.isLinked ? peer.session : nil
        let set = peer.state.isLinked ? paths[index].session : nil
        let path = set?.table.chosenPath
        return PeerStatus(
            node: peer.node, name: record?.name ?? SafeText(""), role: record?.role ?? SafeText(""),
            colour: record?.colour ?? 0, instance: session?.instance ?? record?.instance, slot: peer.slot,
            state: PeerStatus.State(peer.state), presence: presence,
            suspicionEndsAt: detector.suspicionEnd(of: index),
            isFlapping: detector[index].flaps.isDamped, controlLossPermille: set?.controlLoss.permille ?? 0,
            isLeader: peer.isLeader, link: session?.link, path: path?.kind,
            via: path?.neighbour, endpoint: path?.endpoint, hasCarrier: peer.session?.carrier != nil,
            carrierVia: peer.session?.carrier.flatMap { links.carriers[$0]?.via }, rtt: path?.rtt,
            lossInPermille: Int(heard.ownReport?.lossPermille ?? 0),
            lossOutPermille: Int(heard.peerReport?.lossPermille ?? 0), upSince: peer.state.upSince,
            lastHeard: paths[index].session?.heardAt, retryAt: peer.state.retryAt,
            failures: reachability[index].backoff.failures,
            lastFailure: peer.lastFailure?.description, isTalking: heard.isTalking,
            isRecording: heard.isRecording, channels: membership[index].channels, report: heard.peerReport)
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
