import Primitives

/// An address that the user gave without a NodeID. This node dials it again and again for ever, except while the node
/// that answered there last is linked.
struct StaticPeer {
    let endpoint: Endpoint
    fileprivate(set) var nextAt: Instant
    fileprivate(set) var dial: DialID?
    fileprivate var failures = 0
    /// The node that answered there last.
    fileprivate var node: NodeID?

    fileprivate init(_ endpoint: Endpoint, now: Instant) {
        self.endpoint = endpoint
        nextAt = now
    }

    fileprivate func isDue(now: Instant) -> Bool { dial == nil && nextAt <= now }
}

/// The static addresses, at most `MeshLimits.staticPeersMax`, and the networks around those where a peer answered.
struct StaticPeers {
    private var peers: [StaticPeer]
    private(set) var learnedPrefixes: [AddressPrefix] = []

    init(_ endpoints: [Endpoint], now: Instant) {
        peers = []
        for endpoint in endpoints where !contains(endpoint) && peers.count < MeshLimits.staticPeersMax {
            peers.append(StaticPeer(endpoint, now: now))
        }
    }

    private func contains(_ endpoint: Endpoint) -> Bool { peers.contains { $0.endpoint == endpoint } }

    func contains(_ address: IPAddress) -> Bool { peers.contains { $0.endpoint.address == address } }

    /// Allows dials to the network around a static address where a peer answered: its /24, or /64 for IPv6.
    mutating func rememberReach(of endpoint: Endpoint) {
        guard contains(endpoint), !endpoint.address.isLoopback,
            learnedPrefixes.count < MeshLimits.learnedPrefixesMax
        else { return }
        // Several addresses of one network add that network only once.
        let isKnown = learnedPrefixes.contains { endpoint.address.hasPrefix(of: $0.address, length: $0.length) }
        guard !isKnown else { return }
        learnedPrefixes.append(
            AddressPrefix(address: endpoint.address, length: endpoint.address.v4 == nil ? 64 : 24))
    }

    // MARK: The next dial

    func isAnyDue(now: Instant) -> Bool { peers.contains { $0.isDue(now: now) } }

    /// Returns the address that has waited longest of those that are due.
    func nextDue(now: Instant) -> Int? {
        peers.indices.filter { peers[$0].isDue(now: now) }.min { peers[$0].nextAt < peers[$1].nextAt }
    }

    /// When the next address is due; `.distantFuture` while each is being dialled.
    var nextDialAt: Instant {
        var next = Instant.distantFuture
        for peer in peers where peer.dial == nil { next = min(next, peer.nextAt) }
        return next
    }

    /// The addresses that are due, each with the node that answered there last.
    func answerersDue(now: Instant) -> [(index: Int, node: NodeID)] {
        peers.indices.compactMap { index in
            guard peers[index].isDue(now: now) else { return nil }
            return peers[index].node.map { (index, $0) }
        }
    }

    /// Postpones the dial of an address whose node is linked.
    mutating func postpone(_ index: Int, now: Instant) {
        peers[index].nextAt = now + MeshLimits.backoffUserAddressMax
    }

    /// Postpones the dial of an address whose node is blocked. The address is dialled again after
    /// `MeshLimits.wrongAddressRetry`, because it may have a new owner.
    mutating func forgetAnswerer(of index: Int, now: Instant) {
        peers[index].node = nil
        peers[index].nextAt = now + MeshLimits.wrongAddressRetry
    }

    /// Makes every address due that is not being dialled.
    mutating func dialAllNow(now: Instant) {
        for index in peers.indices where peers[index].dial == nil { peers[index].nextAt = now }
    }

    // MARK: Dials

    /// The dials of static addresses that are in progress.
    var dials: [DialID] { peers.compactMap(\.dial) }

    mutating func began(_ dial: DialID, of index: Int) { peers[index].dial = dial }

    mutating func finished(_ index: Int) { peers[index].dial = nil }

    /// Schedules the next dial after a failure.
    /// - Parameter isOwnAddress: whether the address leads to this node itself.
    mutating func failed(_ index: Int, isOwnAddress: Bool, random: inout SeededRandom, now: Instant) {
        peers[index].failures += 1
        let wait = Backoff.wait(
            afterFailures: peers[index].failures, max: MeshLimits.backoffUserAddressMax, random: &random)
        peers[index].nextAt = now + (isOwnAddress ? MeshLimits.wrongAddressRetry : wait)
    }

    mutating func answered(_ index: Int, by node: NodeID, now: Instant) {
        peers[index].failures = 0
        peers[index].node = node
        postpone(index, now: now)
    }

    subscript(index: Int) -> StaticPeer { peers[index] }
}
