import Primitives
import Trust
import Wire

/// Carriers that open, whichever side dialled. A dial that this node has cancelled may open a carrier all the same.
/// This node closes such a carrier: the peer is the acceptor on it, so this node cannot take it for one that the peer
/// dialled.
extension MeshNode {
    mutating func openCarrier(_ id: CarrierID, peer: NodeID, dial: DialID?, remote: Endpoint, now: Instant) {
        let dialled = dial.flatMap { reachability.finishDial($0) }
        guard (dial == nil) == (dialled == nil) else { return effects.output(.carrierClose(id)) }
        addCarrier(id, peer: peer, dialled, .direct(remote: remote, dialled: dialled?.endpoint), now: now)
    }

    /// Adds a carrier that has opened in a tunnel. TLS has proved the identity of its peer. It closes if that is not
    /// the peer to which this node or the neighbour has said that the tunnel leads.
    mutating func openTunnelledCarrier(_ id: CarrierID, peer: NodeID, _ tunnel: TunnelID, now: Instant) {
        guard let own = relay.ownTunnel(tunnel, to: peer) else {
            effects.output(.carrierClose(id))
            return
        }
        let dialled = own.dial.flatMap { reachability.finishDial($0) }
        guard (own.dial == nil) == (dialled == nil) else { return effects.output(.carrierClose(id)) }
        let via = links[own.hop.slot.index].node
        addCarrier(id, peer: peer, dialled, .tunnel(via: via, isOwnDial: dialled != nil), now: now)
    }

    private mutating func addCarrier(
        _ id: CarrierID, peer: NodeID, _ dialled: Dialer.Dial?, _ route: CarrierRoute, now: Instant
    ) {
        if peer == node {
            effects.count(.dialsToSelf)
            if let dialled { reachability.markWrongAddress(dialled, now: now) }
            effects.output(.carrierClose(id))
            return
        }
        if let dialled { handleAnswer(from: peer, dialled, now: now) }
        if dialled == nil, case .direct(let remote, _) = route, !isWithinReach(remote.address, of: peer) {
            effects.count(.carriersOffLink)
            links.refuseAndClose(id, Refusal(.offLink, retryAfter: MeshLimits.refusalRetry), &effects)
            return
        }
        guard let index = peerIndex(of: peer, isHere: true) else {
            effects.count(.peersTableFull)
            links.refuseAndClose(id, Refusal(.full, retryAfter: MeshLimits.refusalRetry), &effects)
            return
        }
        if dialled == nil, !endCooldown(of: index, now: now) {
            let wait = reachability[index].backoff.nextCut(now: now) - now
            links.refuseAndClose(id, Refusal(.coolingDown, retryAfter: wait), &effects)
            return
        }
        let slot = links[index].slot
        guard links.carriers.entries(of: slot).count < MeshLimits.carriersPerPeerMax else {
            effects.count(.carriersOverLimit)
            effects.output(.carrierClose(id))
            return
        }
        let admission = CarrierAdmission(
            side: dialled == nil ? .acceptor : .dialler, own: node, peer: peer,
            nonce: sealing.randomBytes(count: WireSizes.nonceBytes), keys: configuration.standing.keys)
        let carrier = CarrierEntry(
            id: id, slot: slot, route: route, openedAt: now, admission: admission,
            ownNonce: sealing.randomBytes(count: WireSizes.nonceBytes),
            peerRecordSent: membership.roster[peer]?.signed)
        links.insert(carrier)
        // When both sides dial at the same time, both carriers open. If each side then cancelled its own dial, no
        // carrier would be left. So the leader picks one of the two.
        if dialled == nil { reachability[index].stopDialling() } else { reachability.cancelDials(of: index, &effects) }
        beginAdmission(on: carrier)
        links.registerOpening(of: carrier, isOwnDial: dialled != nil, &effects, now: now)
    }

    /// Ends this node's wait after failures, because the peer has opened a carrier.
    /// - Returns: false if the wait goes on: this node has ended one too lately.
    private mutating func endCooldown(of index: Int, now: Instant) -> Bool {
        let isFailing = reachability[index].hasFailed
        return !links.isCoolingDown(index, isFailing: isFailing, now: now)
            || reachability[index].cutCooldown(&effects, now: now)
    }
}

/// Carriers that close, and what that means for the link.
extension MeshNode {
    mutating func closeCarrier(_ id: CarrierID, _ end: CarrierEnd, now: Instant) {
        guard let carrier = links.removeCarrier(id) else { return }
        loseCarrier(carrier, .carrierClosed(end), now: now)
    }

    /// Closes a carrier that is of no use any more, mostly because it broke the protocol or timed out. An attempt or a
    /// renewal that depends on it fails.
    mutating func abandon(_ carrier: CarrierEntry, _ failure: LinkFailure = .noAnswer, now: Instant) {
        guard links.removeCarrier(carrier.id) != nil else { return }
        effects.output(.carrierClose(carrier.id))
        loseCarrier(carrier, failure, now: now)
    }

    mutating func dropSilentCarriers(now: Instant) {
        for carrier in links.overdueCarriers(now: now) {
            abandon(carrier, carrier.admission.awaitsProof ? .noProof : .noHello, now: now)
        }
    }

    private mutating func loseCarrier(_ carrier: CarrierEntry, _ failure: LinkFailure, now: Instant) {
        let index = carrier.slot.index
        reachability.endedCarrier(dialledAt: carrier.dialled)
        if links.forgetCandidateCarrier(carrier) { dropCandidate(index) }
        if links.forgetSessionCarrier(carrier) {
            paths[index].current?.forgetCarrier()
            goOnWithoutCarrier(index, now: now)
        }
        switch links.consequence(ofLosing: carrier, failure, areDialsOver: reachability[index].dials.isOver) {
        case .attemptFails: failAttempt(index, failure, now: now)
        case .waitGoesOn(let dialAt): setState(index, .refused(dialAt: dialAt))
        case .renewalFails: failRenewal(index, failure, now: now)
        case .isHarmless: break
        }
    }

    /// Handles the loss of the session's carrier without LEAVE. A killed process closes its carrier immediately, so the
    /// verification of the link begins at once. As long as the paths bring echoes, the link stays, and this node dials
    /// a new carrier.
    private mutating func goOnWithoutCarrier(_ index: Int, now: Instant) {
        guard links.needsCarrier(index) else { return }
        if links[index].state.isUp { startVerifying(index, now: now) }
        scheduleRenewal(index, now: now)
    }
}
