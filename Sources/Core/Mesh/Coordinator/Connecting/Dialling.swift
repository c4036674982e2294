import Primitives
import Wire

/// Dials: what happens when a dial is due, ends or takes too long.
extension MeshNode {
    /// Plans the dials of an attempt or a renewal. The addresses where the peer answers at present are dialled first.
    mutating func planDials(_ index: Int, now: Instant) {
        reachability.planDials(
            of: index, answering: answeringEndpoints(of: index, now: now), isTunnelled: links.isTunnelled(index),
            on: hostNetwork, now: now)
    }

    /// Starts the dials that are due, as far as the limits allow. A static address is not dialled now if the node that
    /// last answered there is linked or blocked.
    mutating func startDials(now: Instant) {
        for (index, node) in reachability.staticPeers.answerersDue(now: now) {
            if isBlocked(node) {
                reachability.staticPeers.forgetAnswerer(of: index, now: now)
            } else if let known = links.index(of: node), links[known].state.isLinked {
                reachability.staticPeers.postpone(index, now: now)
            }
        }
        reachability.startDials(&effects, now: now)
    }

    // MARK: Ends of dials

    /// Records which peer answered at an address that was dialled without a NodeID, and adds the address to that peer.
    mutating func handleAnswer(from peer: NodeID, _ dial: Dialer.Dial, now: Instant) {
        guard let hint = reachability.recordAnswer(from: peer, dial, now: now),
            let index = peerIndex(of: peer)
        else { return }
        reachability[index].addAddresses(hint)
        reachability[index].want(now: now)
    }

    /// Handles a failed dial. If the attempt or the renewal has no address left, this node asks a neighbour for a
    /// tunnel. If it can ask none, the attempt or the renewal fails, unless another carrier of the peer is open.
    mutating func endDial(_ id: DialID, _ failure: DialFailure, now: Instant) {
        switch reachability.endDial(id, failure, &effects, now: now) {
        case .goesOn: break
        case .tunnelFailed(let index): _ = askNeighbour(index, now: now)
        case .planIsOver(let index):
            if !askNeighbour(index, now: now) { failDials(of: index, failure, now: now) }
        }
    }

    /// Ends the attempt or the renewal whose dials have all failed, unless another carrier can complete it.
    private mutating func failDials(of index: Int, _ failure: DialFailure, now: Instant) {
        guard !links.hasOtherCarrier(index) else { return }
        if case .connecting = links[index].state { failAttempt(index, .dial(failure), now: now) }
        if case .connecting = links[index].renewal { failRenewal(index, .dial(failure), now: now) }
    }

    mutating func dropSlowDials(now: Instant) {
        for dial in reachability.dialer.overdue(now: now) {
            effects.output(.cancelDial(dial))
            endDial(dial, .timedOut, now: now)
        }
        effects.invalidateDeadlines()
    }

    // MARK: Addresses

    /// Returns the addresses of a peer that may be dialled, in the order in which they are dialled.
    func dialOrder(of index: Int, now: Instant) -> [Endpoint] {
        reachability.dialOrder(of: index, on: hostNetwork, now: now)
    }

    /// Whether this node accepts a connection of the peer from `source`.
    func isWithinReach(_ source: IPAddress, of peer: NodeID) -> Bool {
        reachability.isWithinReach(source, of: links.index(of: peer), on: hostNetwork)
    }

    var hostNetwork: HostNetwork {
        HostNetwork(
            interfaces: configuration.interfaces, reachablePrefixes: configuration.reachablePrefixes,
            port: configuration.port)
    }
}

/// An attempt's tunnel through a neighbour with a link to the peer, dialled if no direct dial succeeds soon.
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

    /// Dials a tunnel through the best neighbour that has not been asked yet, now or when the limits of dials allow it.
    /// Returns false if no tunnel is needed, if this node dials too many tunnels or this attempt has asked enough
    /// neighbours, or if no such neighbour is left.
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
