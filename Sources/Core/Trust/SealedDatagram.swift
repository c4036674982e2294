import Wire

/// A sealed datagram, split into its parts: mark, SFrame header, ciphertext and tag (docs/WIRE.md).
package struct SealedDatagram: Sendable {
    /// First byte of every sealed datagram: 'P'.
    static let mark: UInt8 = 0x50
    static let tagBytes = 16
    /// Most bytes that are not encrypted: mark, first byte of the SFrame header, key id and counter.
    static let clearBytesMax = 2 + SFrameHeader.keyIDBytesMax + SFrameHeader.counterBytesMax
    /// Most bytes that sealing adds to a body.
    static let overheadBytesMax = clearBytesMax + tagBytes
    /// Most bytes of a body, so that the datagram keeps within `WireLimits.datagramBytesMax`.
    static let bodyBytesMax = WireLimits.datagramBytesMax - overheadBytesMax

    private let bytes: [UInt8]
    /// Not authentic until the datagram is opened.
    package let header: SFrameHeader
    private let headerEnd: Int

    /// Splits a received datagram; nothing of it is authentic yet.
    /// - Throws: `malformed` if it is too long, if its first byte is not the mark, if its header does not parse, or if
    ///   it is too short for a tag.
    package init(parsing bytes: [UInt8]) throws(OpenError) {
        guard bytes.count <= WireLimits.datagramBytesMax, bytes.first == SealedDatagram.mark,
            let (header, end) = SFrameHeader.parse(bytes, from: 1),
            SealedDatagram.tagBytes <= bytes.count - end
        else { throw .malformed }
        self.bytes = bytes
        self.header = header
        headerEnd = end
    }

    /// The bytes of the SFrame header, as received.
    var clear: ArraySlice<UInt8> { bytes[1..<headerEnd] }
    /// The ciphertext, then the tag.
    var sealed: ArraySlice<UInt8> { bytes[headerEnd...] }
}
