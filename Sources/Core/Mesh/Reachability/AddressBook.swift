package import Primitives

/// The addresses at which a peer may be: at most `MeshLimits.addressesPerPeerMax`.
package struct AddressBook: Sendable {
    package struct Entry: Hashable, Sendable {
        package var endpoint: Endpoint
        package var source: PeerHint.Source
        package var lastGoodAt: Instant?
        package var dialledAt: Instant?
        /// The end of the time in which this address is not dialled, because another node, or this node itself,
        /// answered there.
        package var wrongUntil: Instant?

        package func isWrong(now: Instant) -> Bool { wrongUntil.map { now < $0 } ?? false }
    }

    package private(set) var entries: [Entry] = []
    /// The addresses in the newest record of the peer.
    private var told: [Endpoint] = []

    package init() {}

    /// The entries in the order in which addresses of one rank are dialled (`DialSequence`): first those of the newest
    /// record, in its order, then the others, the last added first. A roaming peer is most likely where it was last.
    package var newestFirst: [Entry] {
        told.compactMap { endpoint in index(of: endpoint).map { entries[$0] } }
            + entries.reversed().filter { !told.contains($0.endpoint) }
    }

    /// The addresses worth keeping across a restart: those where the peer answered a dial, and those of its newest
    /// record. If only the peer has dialled, the record is all that this node has.
    package var lasting: [Endpoint] {
        entries.filter { $0.lastGoodAt != nil || told.contains($0.endpoint) }.map(\.endpoint)
    }

    /// Adds an address; for a known address, stores the source if it is better. If the book is full, the oldest entry
    /// is dropped that never answered, is not from the user and is not in the newest record. If there is no such entry,
    /// the link-local address with a scope that is not from the user and answered least recently is dropped, since its
    /// interface may be gone for good. If there is none either, the new address is ignored.
    package mutating func add(_ endpoint: Endpoint, source: PeerHint.Source) {
        if let index = index(of: endpoint) {
            if source.rawValue < entries[index].source.rawValue { entries[index].source = source }
            return
        }
        if entries.count == MeshLimits.addressesPerPeerMax {
            let victim = entries.firstIndex {
                $0.lastGoodAt == nil && $0.source != .user && !told.contains($0.endpoint)
            }
            guard let victim = victim ?? oldestScoped else { return }
            entries.remove(at: victim)
        }
        entries.append(Entry(endpoint: endpoint, source: source))
    }

    private var oldestScoped: Int? {
        let scoped = entries.indices.filter { entries[$0].endpoint.scope != 0 && entries[$0].source != .user }
        return scoped.min { (entries[$0].lastGoodAt ?? .zero) < (entries[$1].lastGoodAt ?? .zero) }
    }

    package mutating func markGood(_ endpoint: Endpoint, source: PeerHint.Source, now: Instant) {
        add(endpoint, source: source)
        guard let index = index(of: endpoint) else { return }
        entries[index].lastGoodAt = now
        entries[index].wrongUntil = nil
    }

    package mutating func markDialled(_ endpoint: Endpoint, now: Instant) {
        if let index = index(of: endpoint) { entries[index].dialledAt = now }
    }

    /// Stops dials to an address for `MeshLimits.wrongAddressRetry`, but not for ever: an address can get another
    /// owner, and a middlebox can answer instead of the peer for a while.
    package mutating func markWrong(_ endpoint: Endpoint, now: Instant) {
        if let index = index(of: endpoint) { entries[index].wrongUntil = now + MeshLimits.wrongAddressRetry }
    }

    /// Stores the addresses of the peer's new record, and allows dials to all addresses again. Removes each address
    /// that is not in the new record, if it came from records alone (source `gossip`) or was in the previous record;
    /// the user's addresses stay. Otherwise every attempt would dial all earlier addresses of a peer that roams.
    package mutating func replaceGossiped(with endpoints: [Endpoint]) {
        let left = told.filter { !endpoints.contains($0) }
        entries.removeAll { entry in
            switch entry.source {
            case .user: false
            case .gossip: !endpoints.contains(entry.endpoint)
            case .remembered, .avahi, .beacon: left.contains(entry.endpoint)
            }
        }
        told = endpoints
        for index in entries.indices { entries[index].wrongUntil = nil }
        for endpoint in endpoints { add(endpoint, source: .gossip) }
    }

    private func index(of endpoint: Endpoint) -> Int? { entries.firstIndex { $0.endpoint == endpoint } }
}
