import Primitives
import Wire

/// The last resort of an attempt: TLS through a neighbour that has a link to the peer.
extension MeshNode {
    /// An attempt's dials: addresses first; a tunnel where they fail, or let wait too long.
    ///
    /// Before what anybody tells comes where the peer answers now.
    mutating func planDials(_ index: Int, now: Instant) {
        let answering = answeringEndpoints(of: index, now: now)
        let told = dialOrder(of: index, now: now).filter { !answering.contains($0) }
        peers[index].dials.start(answering + told, now: now)
        guard !isTunnelled(index), !peers[index].dials.isOver else { return }
        // Who was sought in vain while a tunnel served is not waited for again.
        let headStart = peers[index].directSearch.hasFailed ? .zero : TunnelLimits.directHeadStart
        peers[index].dials.tunnelAt = now + headStart
    }

    mutating func joinDialsByTunnel(_ index: Int, now: Instant) {
        peers[index].dials.tunnelAt = .distantFuture
        if isTurnOfTunnels(now: now) {
            _ = askNeighbour(index, now: now)
        } else if lacksCarrier(index) {
            peers[index].dials.tunnelAt = now + MeshLimits.dialStagger
        }
    }

    /// Dials through the best neighbour that has not been asked, now or when a dial may start; false where there is
    /// none, or no need.
    mutating func askNeighbour(_ index: Int, now: Instant) -> Bool {
        guard lacksCarrier(index), tunnels.own.count < TunnelLimits.ownMax,
            peers[index].dials.tunnelsAsked < TunnelLimits.neighboursPerAttemptMax
        else { return false }
        var next = nextNeighbour(to: index)
        if next == nil {
            // All had their turn: it is the best one's again, in an attempt that has asked nobody.
            peers[index].neighboursAsked = []
            if peers[index].dials.tunnelsAsked == 0 { next = nextNeighbour(to: index) }
        }
        guard let (slot, carrier) = next else { return false }
        guard let dial = dialer.beginTunnel(for: peers[index].slot, now: now) else {
            peers[index].dials.tunnelAt = dialer.nextStart(now: now) ?? now + MeshLimits.dialStagger
            deadlines.needsRefresh = true
            return true
        }
        peers[index].neighboursAsked.append(slot)
        peers[index].dials.tunnelsAsked += 1
        peers[index].dials.tunnelAt = .distantFuture
        peers[index].dials.inProgress.append(dial)
        counters.count(.dialsStarted)
        requestTunnel(
            to: peers[index].node, through: TunnelHop(slot: slot, carrier: carrier), dial: dial, now: now)
        deadlines.needsRefresh = true
        return true
    }

    /// Whether an attempt is on that no carrier has come of, through a neighbour or otherwise.
    private func lacksCarrier(_ index: Int) -> Bool {
        guard !dialer.isTunnelInProgress(for: peers[index].slot) else { return false }
        switch peers[index].state {
        case .connecting: break
        case .up:
            guard case .connecting = peers[index].renewal, peers[index].session?.carrier == nil else { return false }
        case .down, .inviting, .awaitingInvite, .awaitingDecision, .verifying, .quarantined: return false
        }
        return carriers.lines(of: peers[index].slot).allSatisfy { $0.id == peers[index].session?.carrier }
    }

    /// Of the neighbours that tell of a link with the peer: a direct one first, then the shortest.
    private func nextNeighbour(to index: Int) -> (PeerSlot, CarrierID)? {
        var best: (rank: Int, slot: PeerSlot, carrier: CarrierID)?
        for neighbour in peers.indices where neighbour != index {
            let slot = peers[neighbour].slot
            guard let carrier = peers[neighbour].session?.carrier,
                isHop(TunnelHop(slot: slot, carrier: carrier)), !peers[index].neighboursAsked.contains(slot),
                let entry = peers[neighbour].links.first(where: { $0.peer == peers[index].node })
            else { continue }
            let own = AdvertisedLink.rttClass(peers[neighbour].session?.paths.chosenPath.rtt)
            let rank = rank(of: entry.path) << 8 + max(Int(own), Int(entry.rttClass))
            if let best, best.rank <= rank { continue }
            best = (rank, slot, carrier)
        }
        return best.map { ($0.slot, $0.carrier) }
    }

    /// Who reaches the peer by relay has seldom a carrier of its own to it, so it is asked last.
    private func rank(of path: PathKind) -> Int {
        switch path {
        case .direct: 0
        case .carrier: 1
        case .relay: 2
        }
    }
}
