import Primitives
import Wire

/// What becomes of links and waits when this machine's own addresses change.
extension MeshNode {
    /// Whether anybody could be reached at all.
    var hasNetwork: Bool { configuration.interfaces.contains { $0.medium != .loopback || $0.isAdvertised } }

    mutating func changeAddresses(_ interfaces: [InterfaceAddress], now: Instant) {
        let former = configuration.interfaces
        let hadNetwork = hasNetwork
        configuration.interfaces = interfaces
        let port = configuration.port
        changeOwnRecord(now: now) { $0.endpoints = OwnRecord.endpoints(interfaces, port: port) }
        beacon.restart(now: now, random: &random)
        let gone = former.filter { old in !interfaces.contains { $0.prefix.address == old.prefix.address } }
        for index in peers.indices {
            dropStrandedCarriers(of: index, gone, kept: interfaces, now: now)
            searchDirectNow(index, now: now)
            // The peers learn a new source address from the next datagram, so it leaves at once; a
            // session that slept through an outage wakes on the answer. One that has moved too cannot answer, and may
            // have told us already where it is.
            if peers[index].session != nil {
                probeEverywhere(index, now: now)
                challengeAddresses(index, now: now)
            }
            if !hadNetwork, hasNetwork { retryAfterOutage(index, now: now) }
        }
        if !hadNetwork, hasNetwork { dialStaticPeersAgain(now: now) }
    }

    /// A carrier whose local address is gone carries nothing more, and nobody will say so.
    private mutating func dropStrandedCarriers(
        of index: Int, _ gone: [InterfaceAddress], kept: [InterfaceAddress], now: Instant
    ) {
        if case .connecting = peers[index].renewal { return }
        guard let carrier = peers[index].session?.carrier, let remote = carriers[carrier]?.remote,
            isStranded(remote.address, gone, kept: kept)
        else { return }
        closeQuietly(carrier)
        peers[index].session?.carrier = nil
        peers[index].session?.paths.forgetCarrier()
        guard peers[index].state.isLinked, peers[index].candidate == nil else { return }
        // Whichever side moved knows first, so it dials, leader or not.
        peers[index].renewal = .due(at: now)
        deadlines.needsRefresh = true
    }

    /// Whether a connection with `remote` left from an address that is no longer here: the one on
    /// its link, else any of its family that led elsewhere.
    private func isStranded(_ remote: IPAddress, _ gone: [InterfaceAddress], kept: [InterfaceAddress]) -> Bool {
        if remote.isLoopback { return false }
        let isV4 = remote.v4 != nil
        func reaches(_ interface: InterfaceAddress) -> Bool {
            remote.hasPrefix(of: interface.prefix.address, length: interface.prefix.length)
        }
        if gone.contains(where: reaches) { return true }
        if kept.contains(where: reaches) { return false }
        return gone.contains { ($0.prefix.address.v4 != nil) == isV4 }
    }

    /// The network is back: waits of the time without it end, carriers are renewed, all at once.
    private mutating func retryAfterOutage(_ index: Int, now: Instant) {
        guard now < peers[index].wantedUntil || roster[peers[index].node]?.isSeenRecently(now: now) == true else {
            return
        }
        switch peers[index].state {
        case .down, .quarantined:
            setState(index, .scheduled(dialAt: now))
            beginAttempt(index, now: now)
        case .up, .verifying:
            if case .due = peers[index].renewal { peers[index].renewal = .due(at: now) }
        case .connecting, .inviting, .awaitingInvite, .awaitingDecision:
            break
        }
    }

    private mutating func dialStaticPeersAgain(now: Instant) {
        for index in staticPeers.indices where staticPeers[index].dial == nil { staticPeers[index].nextAt = now }
        startDials(now: now)
    }
}
