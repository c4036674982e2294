import Wire

/// A datagram as it travels, taken apart: mark, SFrame header, ciphertext and tag (docs/WIRE.md).
package struct SealedDatagram: Sendable {
    /// First byte of every datagram of ours: 'P'.
    static let mark: UInt8 = 0x50
    static let tagBytes = 16
    /// Mark, config byte, key id and counter.
    static let clearBytesMax = 2 + SFrameHeader.keyIDBytesMax + SFrameHeader.counterBytesMax
    /// What sealing adds to any body, at most.
    static let overheadBytesMax = clearBytesMax + tagBytes
    /// What a body may have, so that the datagram keeps to its limit.
    static let bodyBytesMax = WireLimits.datagramBytesMax - overheadBytesMax

    private let bytes: [UInt8]
    /// Read without any key: which key opens it, and its number.
    package let header: SFrameHeader
    private let headerEnd: Int

    /// Takes a datagram apart; nothing of it is authentic yet.
    /// - Throws: `malformed` where the bytes are no datagram of ours.
    package init(parsing bytes: [UInt8]) throws(OpenError) {
        guard bytes.count <= WireLimits.datagramBytesMax, bytes.first == SealedDatagram.mark,
            let (header, end) = SFrameHeader.parse(bytes, from: 1),
            SealedDatagram.tagBytes <= bytes.count - end
        else { throw .malformed }
        self.bytes = bytes
        self.header = header
        headerEnd = end
    }

    /// The SFrame header as it came.
    var clear: ArraySlice<UInt8> { bytes[1..<headerEnd] }
    /// Ciphertext, then the tag.
    var sealed: ArraySlice<UInt8> { bytes[headerEnd...] }
}
