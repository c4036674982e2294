import Primitives
import Wire

/// The last resort of an attempt: a tunnel through a neighbour that has a link to the peer.
extension MeshNode {
    /// Plans the dials of an attempt: addresses first, and a tunnel if they fail or have not opened after
    /// `TunnelLimits.directHeadStart`.
    ///
    /// The addresses where the peer answers now come before the others.
    mutating func planDials(_ index: Int, now: Instant) {
        let answering = answeringEndpoints(of: index, now: now)
        let told = dialOrder(of: index, now: now).filter { !answering.contains($0) }
        reachability[index].dials.start(answering + told, now: now)
        guard !isTunnelled(index), !reachability[index].dials.isOver else { return }
        // The peer had only a tunnel before, so direct dials get no head start.
        let headStart = reachability[index].directSearch.hasFailed ? .zero : TunnelLimits.directHeadStart
        reachability[index].dials.tunnelAt = now + headStart
    }

    mutating func joinDialsByTunnel(_ index: Int, now: Instant) {
        reachability[index].dials.tunnelAt = .distantFuture
        if isTurnOfTunnels(now: now) {
            _ = askNeighbour(index, now: now)
        } else if lacksCarrier(index) {
            reachability[index].dials.tunnelAt = now + MeshLimits.dialStagger
        }
    }

    /// Dials through the best neighbour that has not been asked yet. If the limits of `dialer` forbid a dial now, it
    /// is scheduled. Returns false if there is no such neighbour, a bound is reached, or no tunnel is needed.
    mutating func askNeighbour(_ index: Int, now: Instant) -> Bool {
        guard lacksCarrier(index), relay.tunnels.own.count < TunnelLimits.ownMax,
            reachability[index].dials.tunnelsAsked < TunnelLimits.neighboursPerAttemptMax
        else { return false }
        var next = nextNeighbour(to: index)
        if next == nil {
            // All neighbours were asked. An attempt that has not asked any starts again with the best one.
            reachability[index].neighboursAsked = []
            if reachability[index].dials.tunnelsAsked == 0 { next = nextNeighbour(to: index) }
        }
        guard let (slot, carrier) = next else { return false }
        guard let dial = reachability.dialer.beginTunnel(for: links[index].slot, now: now) else {
            reachability[index].dials.tunnelAt = reachability.dialer.nextStart(now: now) ?? now + MeshLimits.dialStagger
            effects.invalidateDeadlines()
            return true
        }
        reachability[index].neighboursAsked.append(slot)
        reachability[index].dials.tunnelsAsked += 1
        reachability[index].dials.tunnelAt = .distantFuture
        reachability[index].dials.inProgress.append(dial)
        effects.count(.dialsStarted)
        requestTunnel(
            to: links[index].node, through: TunnelHop(slot: slot, carrier: carrier), dial: dial, now: now)
        effects.invalidateDeadlines()
        return true
    }

    /// Whether an attempt or a renewal is dialling and has no new carrier, and no tunnel is being dialled.
    private func lacksCarrier(_ index: Int) -> Bool {
        guard !reachability.dialer.isTunnelInProgress(for: links[index].slot) else { return false }
        switch links[index].state {
        case .connecting: break
        case .up:
            guard case .connecting = links[index].renewal, links[index].session?.carrier == nil else { return false }
        case .down, .inviting, .awaitingInvite, .awaitingDecision, .verifying, .quarantined: return false
        }
        return links.carriers.lines(of: links[index].slot).allSatisfy { $0.id == links[index].session?.carrier }
    }

    /// Returns the best neighbour not asked yet that advertises a link to the peer: one with a direct link first,
    /// then the one whose slower hop has the lowest round-trip class.
    private func nextNeighbour(to index: Int) -> (PeerSlot, CarrierID)? {
        var best: (rank: Int, slot: PeerSlot, carrier: CarrierID)?
        for neighbour in links.indices where neighbour != index {
            let slot = links[neighbour].slot
            guard let carrier = links[neighbour].session?.carrier,
                isHop(TunnelHop(slot: slot, carrier: carrier)), !reachability[index].neighboursAsked.contains(slot),
                let entry = membership[neighbour].links.first(where: { $0.peer == links[index].node })
            else { continue }
            let own = AdvertisedLink.rttClass(paths[neighbour].session?.table.chosenPath.rtt)
            let rank = rank(of: entry.path) << 8 + max(Int(own), Int(entry.rttClass))
            if let best, best.rank <= rank { continue }
            best = (rank, slot, carrier)
        }
        return best.map { ($0.slot, $0.carrier) }
    }

    /// Returns the rank of a neighbour by its path to the peer; the lowest is asked first. A neighbour with a relayed
    /// path seldom has a direct carrier to the peer, so it is asked last.
    private func rank(of path: PathKind) -> Int {
        switch path {
        case .direct: 0
        case .carrier: 1
        case .relay: 2
        }
    }
}
