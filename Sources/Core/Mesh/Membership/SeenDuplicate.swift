package import Primitives
import Wire

/// Another living node with the identity of this one, from a copied state folder, as its beacons show it. It changes
/// nothing of what this node does: people are told.
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

    /// Whether the beacons came over some time. A network may bring the last beacon of this node's own former start
    /// late.
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

    /// Another living node with the identity of this one; nil if no beacon of one has come lately.
    func duplicate(now: Instant) -> SeenDuplicate? {
        guard let seen = own.duplicate, seen.isSteady, seen.isRecent(now: now) else { return nil }
        return seen
    }
}
