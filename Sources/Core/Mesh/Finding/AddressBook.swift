package import Primitives

/// Where a peer may be: bounded, best sources kept.
package struct AddressBook: Sendable {
    package struct Entry: Hashable, Sendable {
        package var endpoint: Endpoint
        package var source: PeerHint.Source
        package var lastGoodAt: Instant?
        package var dialledAt: Instant?
        /// Somebody else, or this node itself, answered there: not dialled until then.
        package var wrongUntil: Instant?

        package func isWrong(now: Instant) -> Bool { wrongUntil.map { now < $0 } ?? false }
    }

    package private(set) var entries: [Entry] = []
    /// What the subject's newest record names.
    private var told: [Endpoint] = []

    package init() {}

    /// In the order in which they are tried, where nothing else speaks for one: as the newest record names them, then
    /// the others, the one that was heard of last first, for a peer that roams is where it was last.
    package var newestFirst: [Entry] {
        told.compactMap { endpoint in index(of: endpoint).map { entries[$0] } }
            + entries.reversed().filter { !told.contains($0.endpoint) }
    }

    /// What is worth keeping across a restart: where the peer answered a dial, and where its own record says that it
    /// is; whoever was only ever dialled by it has nothing else.
    package var lasting: [Endpoint] {
        entries.filter { $0.lastGoodAt != nil || told.contains($0.endpoint) }.map(\.endpoint)
    }

    /// Adds or refreshes; where the book is full, the oldest entry that nothing speaks for makes room.
    package mutating func add(_ endpoint: Endpoint, source: PeerHint.Source) {
        if let index = index(of: endpoint) {
            if source.rawValue < entries[index].source.rawValue { entries[index].source = source }
            return
        }
        if entries.count == MeshLimits.addressesPerPeerMax {
            let victim = entries.firstIndex {
                $0.lastGoodAt == nil && $0.source != .user && !told.contains($0.endpoint)
            }
            guard let victim else { return }
            entries.remove(at: victim)
        }
        entries.append(Entry(endpoint: endpoint, source: source))
    }

    package mutating func noteGood(_ endpoint: Endpoint, source: PeerHint.Source, now: Instant) {
        add(endpoint, source: source)
        guard let index = index(of: endpoint) else { return }
        entries[index].lastGoodAt = now
        entries[index].wrongUntil = nil
    }

    package mutating func noteDialled(_ endpoint: Endpoint, now: Instant) {
        if let index = index(of: endpoint) { entries[index].dialledAt = now }
    }

    /// Not for good: addresses change hands, and whoever stands between can answer in the subject's stead for a while.
    package mutating func noteWrong(_ endpoint: Endpoint, now: Instant) {
        if let index = index(of: endpoint) { entries[index].wrongUntil = now + MeshLimits.wrongAddressRetry }
    }

    /// The subject says where it is: addresses that it no longer names go, whoever else named them
    /// meanwhile, or every attempt would dial all the places where a roaming node has ever been.
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
