package import Primitives
package import Trust
package import Wire

/// This node's own record, signed. Every change raises the sequence.
package struct OwnRecord {
    package private(set) var record: NodeRecord
    package private(set) var signed: SignedRecord
    package private(set) var digestTerm: UInt32
    /// The newest other node that was seen with a record of this identity.
    var duplicate: SeenDuplicate?

    package init(_ configuration: MeshConfiguration, sealing: any Sealing) {
        record = NodeRecord(
            node: sealing.nodeID, instance: configuration.instance, bootNonce: configuration.bootNonce, sequence: 1,
            endpoints: OwnRecord.endpoints(configuration.interfaces, port: configuration.port),
            profile: configuration.profile, isLeaving: false)
        signed = SignedRecord(signing: record, with: sealing)
        digestTerm = record.digestTerm
    }

    /// Changes the record by `body`, signs it, and raises its sequence. Returns false, and changes nothing, if `body`
    /// leaves the record as it was.
    package mutating func change(sealing: any Sealing, _ body: (inout NodeRecord) -> Void) -> Bool {
        var changed = record
        body(&changed)
        guard changed != record else { return false }
        changed.sequence = record.sequence + 1
        record = changed
        signed = SignedRecord(signing: changed, with: sealing)
        digestTerm = changed.digestTerm
        return true
    }

    /// Returns the endpoints that this node advertises, wired ones first. Loopback and virtual interfaces are
    /// included only if `isAdvertised`. IPv6 scopes have no meaning on other hosts and are left out. If no interface is
    /// advertised, loopback is named: only nodes of this host can learn of it then, and they need the port.
    package static func endpoints(_ interfaces: [InterfaceAddress], port: UInt16) -> [Endpoint] {
        let advertised = interfaces.filter { $0.isAdvertised && !$0.prefix.address.isUnspecified }
        let told = advertised.isEmpty ? interfaces.filter { $0.medium == .loopback } : advertised
        let ordered = told.sorted { a, b in
            (a.medium.rawValue, a.interfaceIndex, a.prefix.address) < (
                b.medium.rawValue, b.interfaceIndex, b.prefix.address
            )
        }
        var endpoints: [Endpoint] = []
        for interface in ordered {
            let endpoint = Endpoint(address: interface.prefix.address, port: port)
            if !endpoints.contains(endpoint) { endpoints.append(endpoint) }
        }
        return Array(endpoints.prefix(WireLimits.recordEndpointsMax))
    }
}

/// Another living node with the identity of this one, from a copied state folder, as its beacons show it. This node
/// reports it to people, and otherwise acts as before.
package struct SeenDuplicate: Hashable, Sendable {
    /// Where the newest beacon came from. An IPv6 address does not replace one of IPv4, which people know better.
    package private(set) var address: IPAddress
    /// When the first beacon came.
    package let since: Instant
    private var seenAt: Instant

    package init(at address: IPAddress, now: Instant) { (self.address, since, seenAt) = (address, now, now) }

    mutating func see(at address: IPAddress, now: Instant) {
        seenAt = now
        if address.v4 != nil || self.address.v4 == nil { self.address = address }
    }

    /// Whether a beacon came lately.
    func isRecent(now: Instant) -> Bool { now < seenAt + MeshLimits.duplicateKept }

    /// Whether the newest beacon of the duplicate came at least `MeshLimits.duplicateSteadyMin` after the first. A
    /// single beacon may be the last one of this node's own former start, which the network has delivered late.
    var isSteady: Bool { since + MeshLimits.duplicateSteadyMin <= seenAt }
}

extension Membership {
    /// Notes a beacon with a record of this node, if another boot has signed it.
    mutating func noteDuplicate(_ record: NodeRecord, at address: IPAddress, now: Instant) {
        guard record.bootNonce != own.record.bootNonce else { return }
        if own.duplicate?.isRecent(now: now) == true {
            own.duplicate?.see(at: address, now: now)
        } else {
            own.duplicate = SeenDuplicate(at: address, now: now)
        }
    }

    /// Another living node with the identity of this one; nil if no beacon of one has come lately, or if its beacons
    /// have not come for long enough yet (`isSteady`).
    func duplicate(now: Instant) -> SeenDuplicate? {
        guard let seen = own.duplicate, seen.isSteady, seen.isRecent(now: now) else { return nil }
        return seen
    }
}
