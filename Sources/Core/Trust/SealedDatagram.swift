import Wire

/// A datagram as it travels, taken apart: mark, SFrame header, ciphertext and tag (docs/WIRE.md).
struct SealedDatagram {
    /// First byte of every datagram of ours: 'P'.
    static let mark: UInt8 = 0x50
    static let tagBytes = 16
    /// Mark, config byte, key id and counter.
    static let clearBytesMax = 2 + SFrameHeader.keyIDBytesMax + SFrameHeader.counterBytesMax
    /// What a body may have, so that the datagram keeps to its limit.
    static let bodyBytesMax = WireLimits.datagramBytesMax - clearBytesMax - tagBytes

    let header: SFrameHeader
    /// Ciphertext, then the tag.
    let sealed: ArraySlice<UInt8>
    /// The SFrame header, then the mark: RFC 9605's metadata.
    let additionalData: [UInt8]

    /// Nil where the bytes are no datagram of ours.
    init?(_ bytes: [UInt8]) {
        guard bytes.count <= WireLimits.datagramBytesMax, bytes.first == SealedDatagram.mark,
            let (header, end) = SFrameHeader.parse(bytes, from: 1),
            SealedDatagram.tagBytes <= bytes.count - end
        else { return nil }
        self.header = header
        sealed = bytes[end...]
        var clear: [UInt8] = []
        clear.reserveCapacity(SealedDatagram.clearBytesMax)
        clear.append(contentsOf: bytes[1..<end])
        clear.append(SealedDatagram.mark)
        additionalData = clear
    }
}
