package import Primitives
package import Wire

/// An open carrier: what is known of the TLS stream that the shell numbers `id`.
package struct CarrierEntry: Sendable {
    package let id: CarrierID
    package let slot: PeerSlot
    package let route: CarrierRoute
    package let openedAt: Instant
    /// This connection's 32 random bytes in the own HELLO.
    package let ownNonce: [UInt8]
    /// The peer's newest record that the own HELLO brings back to it.
    package let peerRecordSent: SignedRecord?
    /// The peer's HELLO with its verified record, once it has come.
    package var greeting: Greeting?

    package init(
        id: CarrierID, slot: PeerSlot, route: CarrierRoute, openedAt: Instant, ownNonce: [UInt8],
        peerRecordSent: SignedRecord? = nil
    ) {
        self.id = id
        self.slot = slot
        self.route = route
        self.openedAt = openedAt
        self.ownNonce = ownNonce
        self.peerRecordSent = peerRecordSent
    }
}

/// Where a carrier leads.
package enum CarrierRoute: Hashable, Sendable {
    /// TCP. `dialled` is the address that this node dialled; nil where the peer did.
    case direct(remote: Endpoint, dialled: Endpoint?)
    /// Through a neighbour.
    case tunnel(via: NodeID, isOwnDial: Bool)
}

extension CarrierEntry {
    package var isTunnelled: Bool { via != nil }

    package var via: NodeID? {
        if case .tunnel(let via, _) = route { via } else { nil }
    }

    /// The far end of the connection; a tunnel has none.
    package var remote: Endpoint? {
        if case .direct(let remote, _) = route { remote } else { nil }
    }

    package var dialled: Endpoint? {
        if case .direct(_, let dialled) = route { dialled } else { nil }
    }

    package var isOwnDial: Bool {
        switch route {
        case .direct(_, let dialled): dialled != nil
        case .tunnel(_, let isOwnDial): isOwnDial
        }
    }
}

/// What matters of a peer's HELLO after it was admitted.
package struct Greeting: Hashable, Sendable {
    package var instance: Instance
    package var bootNonce: BootNonce
    package var nonce: [UInt8]
    package var mediaPort: UInt16
    package init(instance: Instance, bootNonce: BootNonce, nonce: [UInt8], mediaPort: UInt16) {
        self.instance = instance
        self.bootNonce = bootNonce
        self.nonce = nonce
        self.mediaPort = mediaPort
    }
}

/// Every open carrier, sorted by id.
package struct CarrierTable: Sendable {
    package private(set) var lines: [CarrierEntry] = []

    package init() {}

    package func index(of id: CarrierID) -> Int? {
        let index = lowerBound(id)
        return index < lines.count && lines[index].id == id ? index : nil
    }

    package subscript(id: CarrierID) -> CarrierEntry? { index(of: id).map { lines[$0] } }

    package mutating func insert(_ line: CarrierEntry) { lines.insert(line, at: lowerBound(line.id)) }

    package mutating func remove(_ id: CarrierID) -> CarrierEntry? { index(of: id).map { lines.remove(at: $0) } }

    package mutating func greet(_ id: CarrierID, _ greeting: Greeting) {
        if let index = index(of: id) { lines[index].greeting = greeting }
    }

    package func lines(of slot: PeerSlot) -> [CarrierEntry] { lines.filter { $0.slot == slot } }

    /// The oldest carrier whose HELLO is overdue falls due then.
    package var nextHelloDeadline: Instant {
        var next = Instant.distantFuture
        for line in lines where line.greeting == nil { next = min(next, line.openedAt + MeshLimits.helloWaitMax) }
        return next
    }

    private func lowerBound(_ id: CarrierID) -> Int {
        // Ids rise, so the place is nearly always the end.
        if let last = lines.last, last.id < id { return lines.count }
        return lines.sortedIndex { $0.id < id }
    }
}
