import Wire

/// A datagram as it travels, taken apart: mark, SFrame header, ciphertext and tag (docs/WIRE.md).
struct SealedDatagram {
    /// First byte of every datagram of ours: 'P'.
    static let mark: UInt8 = 0x50
    static let tagBytes = 16
    /// Mark, config byte, key id and counter.
    static let clearBytesMax = 2 + SFrameHeader.keyIDBytesMax + SFrameHeader.counterBytesMax
    /// What sealing adds to any body, at most.
    static let overheadBytesMax = clearBytesMax + tagBytes
    /// What a body may have, so that the datagram keeps to its limit.
    static let bodyBytesMax = WireLimits.datagramBytesMax - overheadBytesMax

    let header: SFrameHeader
    /// The SFrame header as it came.
    let clear: ArraySlice<UInt8>
    /// Ciphertext, then the tag.
    let sealed: ArraySlice<UInt8>

    /// Nil where the bytes are no datagram of ours.
    init?(_ bytes: [UInt8]) {
        guard bytes.count <= WireLimits.datagramBytesMax, bytes.first == SealedDatagram.mark,
            let (header, end) = SFrameHeader.parse(bytes, from: 1),
            SealedDatagram.tagBytes <= bytes.count - end
        else { return nil }
        self.header = header
        clear = bytes[1..<end]
        sealed = bytes[end...]
    }

    /// What the tag vouches for beside the body: the SFrame header, then the mark, which is RFC 9605's metadata.
    static func additionalData(header: ArraySlice<UInt8>) -> [UInt8] {
        var data: [UInt8] = []
        data.reserveCapacity(clearBytesMax)
        data.append(contentsOf: header)
        data.append(mark)
        return data
    }
}
