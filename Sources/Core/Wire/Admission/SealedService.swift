/// The Avahi service of a member of a closed mesh. Only members read whose it is (docs/WIRE.md, "Service").
package struct SealedService: Hashable, Sendable {
    /// TCP and UDP port of the member, not 0.
    package let port: UInt16
    /// 16 random bytes of the member, for a day at most: those of its beacons.
    package let salt: [UInt8]
    /// Shows other members that a member announces this service: 16 bytes over port and salt.
    package let tag: [UInt8]
    /// A nonce of 12 bytes, the encrypted NodeID, and a tag of 16 bytes.
    package let sealedNode: [UInt8]

    /// Nil for port 0, or a field of another size.
    package init?(port: UInt16, salt: [UInt8], tag: [UInt8], sealedNode: [UInt8]) {
        guard port != 0, salt.count == WireSizes.beaconSaltBytes, tag.count == WireSizes.proofTagBytes,
            sealedNode.count == WireSizes.sealedNodeBytes
        else { return nil }
        self.port = port
        self.salt = salt
        self.tag = tag
        self.sealedNode = sealedNode
    }
}
