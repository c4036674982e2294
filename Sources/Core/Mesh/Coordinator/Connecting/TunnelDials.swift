import Primitives
import Wire

/// The last resort of an attempt: a tunnel through a neighbour that has a link to the peer.
extension MeshNode {
    /// Dials a tunnel in addition to the addresses of the attempt. Schedules the tunnel for later if other dials have
    /// their turn now.
    mutating func joinDialsByTunnel(_ index: Int, now: Instant) {
        reachability[index].endTunnelWait()
        if reachability.isTurnOfTunnels(now: now) {
            _ = askNeighbour(index, now: now)
        } else if lacksCarrier(index) {
            reachability[index].postponeTunnel(now: now)
        }
    }

    /// Dials a tunnel through the best neighbour that has not been asked yet, now or when the limits allow it. Returns
    /// false if there is no such neighbour, a limit is reached, or no tunnel is needed.
    mutating func askNeighbour(_ index: Int, now: Instant) -> Bool {
        guard lacksCarrier(index), relay.hasRoomToDial, reachability[index].mayAskNeighbour
        else { return false }
        switch reachability.dialTunnel(to: index, among: tunnelNeighbours(of: index), &effects, now: now) {
        case .noNeighbour: return false
        case .postponed: return true
        case .begun(let dial, let neighbour):
            let hop = TunnelHop(slot: neighbour.slot, carrier: neighbour.carrier)
            relay.requestTunnel(to: links[index].node, through: hop, dial: dial, &effects, now: now)
            return true
        }
    }

    /// Whether the peer needs a tunnel as its carrier. Either an attempt is dialling, or the link is up without a
    /// carrier and its renewal is dialling. In both cases no other carrier is open, and no tunnel is being dialled.
    private func lacksCarrier(_ index: Int) -> Bool {
        guard !reachability.dialer.isTunnelInProgress(for: links[index].slot) else { return false }
        switch links[index].state {
        case .connecting: break
        case .up:
            guard case .connecting = links[index].renewal, links[index].session?.carrier == nil else { return false }
        case .down, .inviting, .awaitingInvite, .awaitingDecision, .verifying: return false
        }
        return !links.hasOtherCarrier(index)
    }

    /// Returns the neighbours that can forward one more tunnel of this node and advertise a link to the peer.
    private func tunnelNeighbours(of index: Int) -> [TunnelNeighbour] {
        links.indices.compactMap { neighbour in
            let slot = links[neighbour].slot
            guard neighbour != index, relay.mayAsk(slot), let carrier = links[neighbour].session?.carrier,
                links.isHop(TunnelHop(slot: slot, carrier: carrier)),
                let link = membership[neighbour].links[links[index].node]
            else { return nil }
            let rtt = paths[neighbour].current?.table.chosenPath.rtt
            return TunnelNeighbour(slot: slot, carrier: carrier, rttClass: AdvertisedLink.rttClass(rtt), link: link)
        }
    }
}
