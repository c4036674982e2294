import Primitives

/// The layout of a node record's body, the bytes that are signed (docs/WIRE.md, "Records").
extension NodeRecord {
    private static let layoutVersion: UInt8 = 1
    private static let leavingFlag: UInt8 = 1

    /// Returns the body, at most `WireLimits.recordBytesMax` bytes. Leaves out the scopes of endpoints, which have a
    /// meaning on their own host only, and cuts the texts of the profile to their limits.
    /// - Precondition: at most `WireLimits.recordEndpointsMax` endpoints, none with port 0, and at most
    ///   `WireLimits.recordExtensionsMax` extensions with those that are properties.
    package func encoded() -> [UInt8] {
        precondition(endpoints.count <= WireLimits.recordEndpointsMax, "\(endpoints.count) endpoints in a record")
        var writer = ByteWriter(capacity: 256)
        writer.u8(NodeRecord.layoutVersion)
        writer.u8(isLeaving ? NodeRecord.leavingFlag : 0)
        writer.raw(node.bytes)
        writer.number(instance.number, byteCount: WireSizes.instanceBytes)
        writer.u64(bootNonce.number)
        writer.u32(sequence)
        profile.write(to: &writer)
        writer.u8(UInt8(truncatingIfNeeded: endpoints.count))
        for endpoint in endpoints { endpoint.write(to: &writer) }
        var extensions = extensions
        if profile.feedsProgramme { extensions.mark(.programme) }
        extensions.write(to: &writer)
        return writer.bytes
    }

    /// Reads the body of a record. Its signature is not checked.
    /// - Throws: `oversized` above a limit, `truncated` or `trailing` for a wrong length, `unknownKind` for another
    ///   layout, flag or family of addresses, and the errors of the fields.
    package init(parsing bytes: [UInt8]) throws(WireError) {
        guard bytes.count <= WireLimits.recordBytesMax else { throw .oversized }
        var reader = ByteReader(bytes)
        guard try reader.u8() == NodeRecord.layoutVersion else { throw .unknownKind }
        let flags = try reader.u8()
        guard flags & ~NodeRecord.leavingFlag == 0 else { throw .unknownKind }
        guard let node = NodeID(try reader.bytes(count: NodeID.byteCount)),
            let instance = Instance(exactly: try reader.number(byteCount: WireSizes.instanceBytes))
        else { throw .malformed }
        let bootNonce = BootNonce(number: try reader.u64())
        let sequence = try reader.u32()
        var profile = try NodeProfile(from: &reader)
        let endpoints = try NodeRecord.endpoints(from: &reader)
        var extensions = try RecordExtensions(from: &reader)
        try reader.finish()
        profile.feedsProgramme = extensions.takeMark(.programme)
        self.init(
            node: node, instance: instance, bootNonce: bootNonce, sequence: sequence, endpoints: endpoints,
            profile: profile, isLeaving: flags & NodeRecord.leavingFlag != 0, extensions: extensions)
    }

    private static func endpoints(from reader: inout ByteReader) throws(WireError) -> [Endpoint] {
        let count = Int(try reader.u8())
        guard count <= WireLimits.recordEndpointsMax else { throw .oversized }
        var endpoints: [Endpoint] = []
        for _ in 0..<count { endpoints.append(try Endpoint(from: &reader)) }
        return endpoints
    }
}

extension Endpoint {
    private static let familyV4: UInt8 = 4
    private static let familyV6: UInt8 = 6

    fileprivate func write(to writer: inout ByteWriter) {
        precondition(port != 0, "an endpoint without a port")
        if let v4 = address.v4 {
            writer.u8(Endpoint.familyV4)
            writer.u32(v4)
        } else {
            writer.u8(Endpoint.familyV6)
            writer.u64(address.high)
            writer.u64(address.low)
        }
        writer.u16(port)
    }

    /// Reads an endpoint that can be dialled.
    /// - Throws: `unknownKind` for another address family, `truncated`, or `outOfRange` for port 0, a multicast or
    ///   unspecified address, or an IPv4 address in its IPv6-mapped form: an address has one form only.
    fileprivate init(from reader: inout ByteReader) throws(WireError) {
        let address: IPAddress
        switch try reader.u8() {
        case Endpoint.familyV4: address = IPAddress(v4: try reader.u32())
        case Endpoint.familyV6:
            address = IPAddress(high: try reader.u64(), low: try reader.u64())
            guard address.v4 == nil else { throw .outOfRange }
        default: throw .unknownKind
        }
        let port = try reader.u16()
        guard port != 0, !address.isMulticast, !address.isUnspecified else { throw .outOfRange }
        self.init(address: address, port: port)
    }
}

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
