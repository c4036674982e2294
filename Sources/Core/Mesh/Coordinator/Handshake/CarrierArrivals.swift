import Primitives
import Trust
import Wire

/// Carriers that open, whichever side dialled. A dial that was cancelled may open all the same. Its carrier closes: the
/// peer is the acceptor, so this node cannot take it for an incoming one.
extension MeshNode {
    mutating func openCarrier(_ id: CarrierID, peer: NodeID, dial: DialID?, remote: Endpoint, now: Instant) {
        let dialled = dial.flatMap { reachability.finishDial($0) }
        guard (dial == nil) == (dialled == nil) else { return effects.output(.carrierClose(id)) }
        open(id, peer: peer, dialled, .direct(remote: remote, dialled: dialled?.endpoint), now: now)
    }

    /// Opens a carrier in a tunnel, after TLS has proved the identity of the peer. Until then only the neighbour had
    /// named the peer.
    mutating func openTunnelledCarrier(_ id: CarrierID, peer: NodeID, _ tunnel: TunnelID, now: Instant) {
        guard let own = relay.ownTunnel(tunnel, to: peer) else {
            effects.output(.carrierClose(id))
            return
        }
        let dialled = own.dial.flatMap { reachability.finishDial($0) }
        guard (own.dial == nil) == (dialled == nil) else { return effects.output(.carrierClose(id)) }
        let via = links[own.hop.slot.index].node
        open(id, peer: peer, dialled, .tunnel(via: via, isOwnDial: dialled != nil), now: now)
    }

    private mutating func open(
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
            links.turnAway(id, Refusal(.offLink, retryAfter: MeshLimits.refusalRetry), &effects)
            return
        }
        guard let index = peerIndex(of: peer, isHere: true) else {
            effects.count(.peersTableFull)
            links.turnAway(id, Refusal(.full, retryAfter: MeshLimits.refusalRetry), &effects)
            return
        }
        if dialled == nil, let wait = cutWait(index, now: now) {
            links.turnAway(id, Refusal(.coolingDown, retryAfter: wait), &effects)
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
        sendProof(on: carrier)
        links.registerOpening(of: carrier, isOwnDial: dialled != nil, &effects, now: now)
    }

    /// A peer has opened a carrier while this node waits after failures: ends that wait, if it may be ended now.
    /// - Returns: how long the peer has to wait before it may connect again; nil if its carrier is welcome.
    private mutating func cutWait(_ index: Int, now: Instant) -> Interval? {
        let isFailing = reachability[index].hasFailed
        guard links.isCoolingDown(index, isFailing: isFailing, now: now),
            !reachability[index].cutCooldown(&effects, now: now)
        else { return nil }
        return reachability[index].backoff.nextCut(now: now) - now
    }
}
