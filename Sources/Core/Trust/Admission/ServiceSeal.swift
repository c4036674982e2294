package import Primitives
package import Wire

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
