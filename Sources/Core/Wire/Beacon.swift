/// A node's multicast announcement: its mesh and its signed record. A receiver can dial at once, and knows which
/// NodeID to expect (docs/WIRE.md, "Beacon").
package struct Beacon: Hashable, Sendable {
    static let magic: [UInt8] = Array("PLbn".utf8)
    private static let layoutVersion: UInt8 = 1

    package var mesh: String
    package var record: SignedRecord

    package init(mesh: String, record: SignedRecord) {
        self.mesh = mesh
        self.record = record
    }

    /// Returns the beacon as at most `WireLimits.beaconBytesMax` bytes.
    /// - Precondition: mesh name and record are within their limits.
    package func encoded() -> [UInt8] {
        precondition(MeshName.isValid(mesh), "a mesh name of \(mesh.utf8.count) bytes")
        var writer = ByteWriter(capacity: WireLimits.beaconBytesMax)
        writer.raw(Beacon.magic)
        writer.u8(Beacon.layoutVersion)
        writer.u8(UInt8(truncatingIfNeeded: mesh.utf8.count))
        writer.raw(mesh.utf8)
        writer.raw(record.packed())
        return writer.bytes
    }

    /// Parses a beacon. Checks sizes only; the caller has to verify the record's signature.
    /// - Throws: `oversized` above a limit, `truncated` or `trailing` for a wrong length, `unknownKind` for another
    ///   layout, `malformed` for a wrong first mark, a wrong mesh name or an empty record.
    package init(parsing bytes: [UInt8]) throws(WireError) {
        guard bytes.count <= WireLimits.beaconBytesMax else { throw .oversized }
        var reader = ByteReader(bytes)
        guard try reader.bytes(count: Beacon.magic.count) == Beacon.magic else { throw .malformed }
        guard try reader.u8() == Beacon.layoutVersion else { throw .unknownKind }
        mesh = try MeshName.parse(try reader.bytes(count: Int(try reader.u8())))
        record = try SignedRecord(unpacking: &reader)
    }
}
