/// A signed record as beacons carry it: public key 32, length of the body u16, body, signature 64.
extension SignedRecord {
    /// The fewest bytes of a packed record: its body is not empty.
    static let packedBytesMin = WireSizes.publicKeyBytes + 2 + 1 + WireSizes.signatureBytes
    static let packedBytesMax = packedBytesMin - 1 + WireLimits.recordBytesMax

    /// - Precondition: the record is within its limits.
    package func packed() -> [UInt8] {
        precondition(hasValidSizes, "a record of \(body.count) bytes")
        var writer = ByteWriter(capacity: SignedRecord.packedBytesMax)
        writer.raw(publicKey)
        writer.u16(UInt16(truncatingIfNeeded: body.count))
        writer.raw(body)
        writer.raw(signature)
        return writer.bytes
    }

    /// Reads the record that is all that is left. Checks sizes only.
    /// - Throws: `oversized` for a body above its limit, `truncated` or `trailing` for a wrong length, `malformed` for
    ///   an empty body.
    package init(unpacking reader: inout ByteReader) throws(WireError) {
        let publicKey = try reader.bytes(count: WireSizes.publicKeyBytes)
        let bodyCount = Int(try reader.u16())
        guard bodyCount <= WireLimits.recordBytesMax else { throw .oversized }
        let body = try reader.bytes(count: bodyCount)
        guard !body.isEmpty else { throw .malformed }
        self.init(
            publicKey: publicKey, body: body, signature: try reader.bytes(count: WireSizes.signatureBytes))
        try reader.finish()
    }
}
