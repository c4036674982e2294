import Primitives
import Trust
import Wire

/// How this node announces itself in a closed mesh: the salt of a day, which its beacons and its Avahi service have in
/// common, and that service.
struct SealedAnnouncement {
    private var salt: (bytes: [UInt8], drawnAt: Instant)?
    private var service: SealedService?

    /// When the salt is to be replaced; `.distantFuture` while there is none.
    var expiresAt: Instant { salt.map { $0.drawnAt + MeshLimits.beaconSaltLifetime } ?? .distantFuture }

    /// Returns the salt. It changes daily, so that nobody outside the mesh can recognise this node for longer than a
    /// day.
    mutating func salt(with sealing: any Sealing, now: Instant) -> [UInt8] {
        if let salt, now < expiresAt { return salt.bytes }
        let bytes = sealing.randomBytes(count: WireSizes.beaconSaltBytes)
        salt = (bytes, now)
        return bytes
    }

    /// The clock of this node stood still for the time `slept`: the salt is older by that.
    mutating func age(by slept: Interval) {
        if let drawnAt = salt?.drawnAt { salt?.drawnAt = drawnAt - slept }
    }

    /// Returns the service of this node. It stays the same until the salt or the epoch changes, so that Avahi has
    /// nothing to publish meanwhile.
    mutating func service(
        port: UInt16, keys: EpochKeys, with sealing: any Sealing, now: Instant
    ) -> SealedService {
        let salt = salt(with: sealing, now: now)
        if let service, service.salt == salt, service.isTagged(by: keys, with: sealing) { return service }
        let made = SealedService(
            of: sealing.nodeID, port: port, salt: salt, nonce: sealing.randomBytes(count: WireSizes.sealNonceBytes),
            keys: keys, with: sealing)
        service = made
        return made
    }
}
