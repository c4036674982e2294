import Primitives
import Wire

/// What happens to links and waits when the addresses of this host change.
extension MeshNode {
    /// Whether this host has an address that other nodes are told of. The addresses of bridges, containers and loopback
    /// mostly are not (`InterfaceAddress.isAdvertised`).
    var hasNetwork: Bool { configuration.interfaces.contains(where: \.isAdvertised) }

    /// Whether this node can judge the silence of the peer: it has a network, or it knows a loopback address of the
    /// peer, so that both are on this host.
    func mayReach(_ index: Int) -> Bool { hasNetwork || reachability[index].hasLoopbackAddress }

    mutating func changeAddresses(_ interfaces: [InterfaceAddress], now: Instant) {
        let (former, hadNetwork) = (configuration.interfaces, hasNetwork)
        configuration.interfaces = interfaces
        if hadNetwork, !hasNetwork, outage == nil {
            outage = NetworkOutage(former: former, until: now + MeshLimits.networkReturnMax)
        }
        let port = configuration.port
        changeOwnRecord(now: now) { $0.endpoints = OwnRecord.endpoints(interfaces, port: port) }
        reachability.restartBeacons(&effects, now: now)
        let change = AddressChange(from: former, to: interfaces)
        let lasting = lastingChange(change)
        for index in links.indices {
            if let lasting { dropStrandedCarrier(of: index, after: lasting, now: now) }
            searchDirectNow(index, now: now)
            // The peer learns the new source address from the next datagram, so this node sends probes at once. If an
            // outage took the link down and its session still has keys, the echo brings the link up. A peer whose
            // addresses have changed too cannot answer. But gossip may have brought its new addresses, so they are
            // challenged.
            if links[index].session != nil {
                probeEverywhere(index, now: now)
                challengeAddresses(index, now: now)
            }
            if change.opensNetwork { retryAfterOutage(index, now: now) }
        }
        if change.opensNetwork { dialStaticPeersAgain(now: now) }
    }

    /// Returns the change of addresses by which this node decides which carriers to close: `change` if no outage is
    /// under way, else the change since before the outage, once this host has moved to another network. Returns nil as
    /// long as the former network may come back.
    private mutating func lastingChange(_ change: AddressChange) -> AddressChange? {
        guard let outage else { return change }
        let sinceOutage = AddressChange(from: outage.former, to: configuration.interfaces)
        guard sinceOutage.opensNetwork else { return nil }
        self.outage = nil
        return sinceOutage
    }

    /// Ends the wait for the former network: gives up the carriers whose local addresses have not come back.
    mutating func endOutage(now: Instant) {
        guard let outage, outage.until <= now else { return }
        self.outage = nil
        let change = AddressChange(from: outage.former, to: configuration.interfaces)
        for index in links.indices { dropStrandedCarrier(of: index, after: change, now: now) }
        effects.invalidateDeadlines()
    }

    /// Closes the session's carrier if the local address of the carrier is probably gone (`AddressChange.strands`):
    /// nothing passes over it any more, and nothing reports that.
    private mutating func dropStrandedCarrier(of index: Int, after change: AddressChange, now: Instant) {
        if case .connecting = links[index].renewal { return }
        guard let carrier = links[index].session?.carrier, let remote = links.carriers[carrier]?.remote,
            change.strands(remote)
        else { return }
        links.closeSessionCarrier(of: index, &effects)
        paths[index].current?.forgetCarrier()
        guard links.needsCarrier(index) else { return }
        // This node knows of its new address before the peer does. So it dials now, as leader or as follower.
        links.renew(index, at: now, &effects)
    }

    /// Called after this host has joined a network. Ends this node's wait for an attempt or for a renewal with the
    /// peer, if the peer is wanted or its record counts. A peer that is suspected because of its silence is wanted
    /// again, however long the silence was.
    private mutating func retryAfterOutage(_ index: Int, now: Instant) {
        if detector[index].presence.suspicion?.cause == .silence { reachability[index].want(now: now) }
        guard
            reachability[index].isWanted(now: now) || membership.roster[links[index].node]?.isCurrent(now: now) == true
        else {
            return
        }
        switch links[index].state {
        case .down:
            setState(index, .scheduled(dialAt: now))
            beginAttempt(index, now: now)
        case .up, .verifying:
            _ = links[index].hastenRenewal(now: now)
        case .connecting, .inviting, .awaitingInvite, .awaitingDecision:
            break
        }
    }

    private mutating func dialStaticPeersAgain(now: Instant) {
        reachability.staticPeers.dialAllNow(now: now)
        startDials(now: now)
    }
}

/// The time after this host has lost its last network. A cable that is plugged in again within seconds brings the same
/// addresses back, one after the other, and TCP then goes on where it stopped.
struct NetworkOutage {
    /// The addresses before the outage.
    let former: [InterfaceAddress]
    /// The instant at which this node gives up the carriers of the addresses that are still gone.
    private(set) var until: Instant

    /// Moves `until` earlier by `slept`, the time for which the machine was asleep and this node's clock stood still.
    mutating func shorten(by slept: Interval) { until = until - slept }
}
