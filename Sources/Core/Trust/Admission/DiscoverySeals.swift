package import Primitives
package import Wire

/// The record in the beacon of a closed mesh, sealed by the newest epoch of its sender.
extension SealedBeacon {
    /// - Parameters:
    ///   - salt: 16 random bytes, used for a day at most, since a stranger recognises a sender by it.
    ///   - nonce: 12 random bytes, others for each version of the record.
    package init(
        _ record: SignedRecord, port: UInt16, salt: [UInt8], nonce: [UInt8], keys: EpochKeys, with sealing: any Sealing
    ) {
        let packed = record.packed()
        let tag = keys.beaconTag(port: port, salt: salt, with: sealing)
        let head = SealedBeacon.head(
            port: port, salt: salt, tag: tag, nonce: nonce,
            sealedByteCount: packed.count + WireSizes.sealTagBytes)
        let sealed = sealing.encrypted(packed, key: keys.recordKey, nonce: nonce, additionalData: head)
        self.init(port: port, salt: salt, tag: tag, nonce: nonce, sealedRecord: sealed)
    }

    /// Whether the sender has the secret of this epoch, or repeats the beacon of a node that has it.
    package func isTagged(by keys: EpochKeys, with sealing: any Sealing) -> Bool {
        tag.isEqualInConstantTime(to: keys.beaconTag(port: port, salt: salt, with: sealing))
    }

    /// Returns the record, whose signature the caller has to verify.
    /// - Throws: `forged` if the seal does not open, and the errors of `SignedRecord(unpacking:)`.
    package func opened(by keys: EpochKeys, with sealing: any Sealing) throws(WireError) -> SignedRecord {
        guard
            let packed = sealing.decrypted(
                sealedRecord, key: keys.recordKey, nonce: nonce, additionalData: head)
        else { throw .forged }
        var reader = ByteReader(packed)
        return try SignedRecord(unpacking: &reader)
    }
}

/// The NodeID in the Avahi service of a closed mesh, sealed by the newest epoch of its member.
extension SealedService {
    /// - Parameters:
    ///   - salt: the 16 bytes of the member's beacons.
    ///   - nonce: 12 random bytes, fresh for each service.
    package init(
        of node: NodeID, port: UInt16, salt: [UInt8], nonce: [UInt8], keys: EpochKeys, with sealing: any Sealing
    ) {
        let sealed = sealing.encrypted(node.bytes, key: keys.recordKey, nonce: nonce, additionalData: salt)
        let tag = keys.beaconTag(port: port, salt: salt, with: sealing)
        guard let service = SealedService(port: port, salt: salt, tag: tag, sealedNode: nonce + sealed) else {
            illegal("fields of another size", in: "a sealed service")
        }
        self = service
    }

    /// Whether the member has the secret of this epoch, or somebody repeats its service.
    package func isTagged(by keys: EpochKeys, with sealing: any Sealing) -> Bool {
        tag.isEqualInConstantTime(to: keys.beaconTag(port: port, salt: salt, with: sealing))
    }

    /// Returns the NodeID of the member; nil if the seal does not open.
    package func opened(by keys: EpochKeys, with sealing: any Sealing) -> NodeID? {
        let nonce = Array(sealedNode.prefix(WireSizes.sealNonceBytes))
        let sealed = Array(sealedNode.dropFirst(WireSizes.sealNonceBytes))
        return sealing.decrypted(sealed, key: keys.recordKey, nonce: nonce, additionalData: salt)
            .flatMap { NodeID($0) }
    }
}
