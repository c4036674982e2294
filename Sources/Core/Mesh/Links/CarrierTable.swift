package import Primitives
package import Trust
package import Wire

/// An open carrier: what this node knows of the TLS stream that the shell numbers `id`.
package struct CarrierEntry: Sendable {
    package let id: CarrierID
    package let slot: PeerSlot
    package let route: CarrierRoute
    package let openedAt: Instant
    /// The nonce in this node's HELLO: 32 random bytes for this carrier.
    package let ownNonce: [UInt8]
    /// The newest record of the peer that this node knew when the carrier opened; nil if it knew none. This node's
    /// HELLO contains the record.
    package let peerRecordSent: SignedRecord?
    /// Finds out whether the peer is of this node's mesh. Before that is found, no HELLO of the peer is accepted.
    package fileprivate(set) var admission: CarrierAdmission
    /// What is kept of the peer's HELLO; nil until it is admitted.
    package var greeting: Greeting?

    package init(
        id: CarrierID, slot: PeerSlot, route: CarrierRoute, openedAt: Instant, admission: CarrierAdmission,
        ownNonce: [UInt8], peerRecordSent: SignedRecord? = nil
    ) {
        self.id = id
        self.slot = slot
        self.route = route
        self.openedAt = openedAt
        self.admission = admission
        self.ownNonce = ownNonce
        self.peerRecordSent = peerRecordSent
    }
}

/// Route of a carrier.
package enum CarrierRoute: Hashable, Sendable {
    /// A TCP connection without a tunnel. `dialled` is the address that this node dialled; nil if the peer dialled.
    case direct(remote: Endpoint, dialled: Endpoint?)
    /// Through a neighbour.
    case tunnel(via: NodeID, isOwnDial: Bool)
}

extension CarrierEntry {
    package var isTunnelled: Bool { via != nil }

    package var via: NodeID? {
        if case .tunnel(let via, _) = route { via } else { nil }
    }

    /// Remote end of the TCP connection; nil for a tunnel.
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

extension CarrierEntry {
    /// When the peer's PROOF is overdue, or then the peer's GRANT or answer in JOIN, or then the peer's HELLO.
    /// `.distantFuture` once this node has accepted HELLO.
    package var overdueAt: Instant {
        guard greeting == nil else { return .distantFuture }
        let isSoon = admission.awaitsProof || admission.awaitsMember
        return openedAt + (isSoon ? MeshLimits.proofWaitMax : MeshLimits.helloWaitMax)
    }

    /// The nonces of both PROOFs, that of the dialler first: 64 bytes. The media keys of a session on this carrier are
    /// derived with them, and the hashes of the replicated tables in that session are keyed with them.
    /// - Precondition: the peer is admitted.
    var nonces: [UInt8] {
        guard let ends = admission.ends else { illegal("the nonces", in: "a carrier without admission") }
        return ends.nonces
    }
}

/// The parts of a peer's admitted HELLO that are used later.
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
    package private(set) var entries: [CarrierEntry] = [] {
        didSet { findNextOverdue() }
    }
    /// Instant at which the first missing PROOF or HELLO is overdue.
    package private(set) var nextOverdueAt: Instant = .distantFuture

    package init() {}

    package func index(of id: CarrierID) -> Int? {
        let index = lowerBound(id)
        return index < entries.count && entries[index].id == id ? index : nil
    }

    package subscript(id: CarrierID) -> CarrierEntry? { index(of: id).map { entries[$0] } }

    package mutating func insert(_ carrier: CarrierEntry) { entries.insert(carrier, at: lowerBound(carrier.id)) }

    package mutating func remove(_ id: CarrierID) -> CarrierEntry? { index(of: id).map { entries.remove(at: $0) } }

    package mutating func greet(_ id: CarrierID, _ greeting: Greeting) {
        if let index = index(of: id) { entries[index].greeting = greeting }
    }

    /// Passes an input to the admission of a carrier. Nothing happens if the carrier has closed.
    package mutating func advance(
        _ id: CarrierID, _ input: AdmissionInput, as standing: MeshStanding, pairingKey: [UInt8]?,
        with sealing: any Sealing
    ) -> [AdmissionDirective] {
        guard let index = index(of: id) else { return [] }
        return entries[index].admission.handle(input, as: standing, pairingKey: pairingKey, with: sealing)
    }

    package func entries(of slot: PeerSlot) -> [CarrierEntry] { entries.filter { $0.slot == slot } }

    private mutating func findNextOverdue() {
        nextOverdueAt = .distantFuture
        for carrier in entries { nextOverdueAt = min(nextOverdueAt, carrier.overdueAt) }
    }

    private func lowerBound(_ id: CarrierID) -> Int {
        // Carrier ids rise, so a new entry nearly always goes to the end.
        if let last = entries.last, last.id < id { return entries.count }
        return entries.sortedIndex { $0.id < id }
    }
}
