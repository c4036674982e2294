/// The multicast announcement of a member of a closed mesh. Only members read who sent it (docs/WIRE.md).
package struct SealedBeacon: Hashable, Sendable {
    private static let layoutVersion: UInt8 = 2

    /// TCP and UDP port of the sender, not 0.
    package let port: UInt16
    /// 16 random bytes of the sender, for a day at most.
    package let salt: [UInt8]
    /// Shows other members that the sender is one: 16 bytes over port and salt.
    package let tag: [UInt8]
    /// Nonce of the seal, 12 bytes, random for each beacon.
    package let nonce: [UInt8]
    /// The packed signed record, encrypted, with a tag of 16 bytes.
    package let sealedRecord: [UInt8]

    package init(port: UInt16, salt: [UInt8], tag: [UInt8], nonce: [UInt8], sealedRecord: [UInt8]) {
        self.port = port
        self.salt = salt
        self.tag = tag
        self.nonce = nonce
        self.sealedRecord = sealedRecord
    }

    /// Returns the bytes before the sealed record: the additional data of its seal.
    /// - Parameter sealedByteCount: length of the sealed record.
    package static func head(
        port: UInt16, salt: [UInt8], tag: [UInt8], nonce: [UInt8], sealedByteCount: Int
    ) -> [UInt8] {
        precondition(port != 0, "a beacon without a port")
        precondition(
            salt.count == WireSizes.beaconSaltBytes && tag.count == WireSizes.proofTagBytes
                && nonce.count == WireSizes.sealNonceBytes, "a beacon of fields of another size")
        var writer = ByteWriter(capacity: WireLimits.beaconBytesMax)
        writer.raw(Beacon.magic)
        writer.u8(layoutVersion)
        writer.u16(port)
        writer.raw(salt)
        writer.raw(tag)
        writer.raw(nonce)
        writer.u16(UInt16(truncatingIfNeeded: sealedByteCount))
        return writer.bytes
    }

    package var head: [UInt8] {
        SealedBeacon.head(port: port, salt: salt, tag: tag, nonce: nonce, sealedByteCount: sealedRecord.count)
    }

    /// Returns the beacon as at most `WireLimits.sealedBeaconBytesMax` bytes.
    package func encoded() -> [UInt8] {
        let bytes = head + sealedRecord
        precondition(bytes.count <= WireLimits.sealedBeaconBytesMax, "a sealed beacon of \(bytes.count) bytes")
        return bytes
    }

    /// Parses a beacon. Checks sizes only.
    /// - Throws: `oversized` above a limit, `truncated` or `trailing` for a wrong length, `unknownKind` for another
    ///   layout, `outOfRange` for port 0, `malformed` for a wrong first mark or a record that no length can have.
    package init(parsing bytes: [UInt8]) throws(WireError) {
        guard bytes.count <= WireLimits.sealedBeaconBytesMax else { throw .oversized }
        var reader = ByteReader(bytes)
        guard try reader.bytes(count: Beacon.magic.count) == Beacon.magic else { throw .malformed }
        guard try reader.u8() == SealedBeacon.layoutVersion else { throw .unknownKind }
        port = try reader.u16()
        guard port != 0 else { throw .outOfRange }
        salt = try reader.bytes(count: WireSizes.beaconSaltBytes)
        tag = try reader.bytes(count: WireSizes.proofTagBytes)
        nonce = try reader.bytes(count: WireSizes.sealNonceBytes)
        let count = Int(try reader.u16())
        guard WireSizes.sealTagBytes + SignedRecord.packedBytesMin <= count else { throw .malformed }
        sealedRecord = try reader.bytes(count: count)
        try reader.finish()
    }
}

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
