import Primitives

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

    /// Handles a failed dial. An attempt that has no address left asks a neighbour for a tunnel, or fails.
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
