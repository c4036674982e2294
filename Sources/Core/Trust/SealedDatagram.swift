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

/// The SFrame header of a sealed datagram, which is not encrypted: key id and counter (RFC 9605 §4.3).
///
/// The first byte has the bits X KKK Y CCC. If X is 0, the key id is KKK; if X is 1, the key id follows in KKK + 1
/// bytes. Y and CCC mean the same for the counter. Every number must have its shortest form.
package struct SFrameHeader: Hashable, Sendable {
    /// Key ids on this wire have at most 4 bytes; RFC 9605 allows 8.
    package static let keyIDBytesMax = 4
    package static let counterBytesMax = 8

    /// Selects the key; chosen by the receiver.
    package var keyID: UInt32
    /// Number of the datagram under this key.
    package var counter: UInt64

    package init(keyID: UInt32, counter: UInt64) {
        self.keyID = keyID
        self.counter = counter
    }

    /// Number of bytes that `append` adds.
    package var byteCount: Int { 1 + SFrameHeader.extraBytes(UInt64(keyID)) + SFrameHeader.extraBytes(counter) }

    /// Appends the encoded header.
    package func append(to bytes: inout [UInt8]) {
        let keyIDCount = SFrameHeader.extraBytes(UInt64(keyID))
        let counterCount = SFrameHeader.extraBytes(counter)
        let keyIDBits = keyIDCount == 0 ? UInt8(keyID) : 0x8 | UInt8(keyIDCount - 1)
        let counterBits = counterCount == 0 ? UInt8(counter) : 0x8 | UInt8(counterCount - 1)
        bytes.append(keyIDBits << 4 | counterBits)
        SFrameHeader.append(UInt64(keyID), byteCount: keyIDCount, to: &bytes)
        SFrameHeader.append(counter, byteCount: counterCount, to: &bytes)
    }

    /// Parses a header at index `start`. `end` is the index after it. Nil if the header is cut off, if its key id has
    /// more than `keyIDBytesMax` bytes, or if a number is not in its shortest form.
    package static func parse(_ bytes: [UInt8], from start: Int) -> (header: SFrameHeader, end: Int)? {
        guard start < bytes.count else { return nil }
        let config = bytes[start]
        var index = start + 1
        guard let keyID = number(config >> 4, in: bytes, at: &index),
            let counter = number(config & 0xF, in: bytes, at: &index),
            let shortKeyID = UInt32(exactly: keyID)
        else { return nil }
        return (SFrameHeader(keyID: shortKeyID, counter: counter), index)
    }

    private static func number(_ bits: UInt8, in bytes: [UInt8], at index: inout Int) -> UInt64? {
        guard bits & 0x8 != 0 else { return UInt64(bits) }
        let count = Int(bits & 0x7) + 1
        guard count <= bytes.count - index else { return nil }
        var value: UInt64 = 0
        for offset in index..<index + count { value = value << 8 | UInt64(bytes[offset]) }
        index += count
        return extraBytes(value) == count ? value : nil
    }

    /// Bytes that `value` takes after the first byte of the header; 0 if it fits into three bits of that byte.
    private static func extraBytes(_ value: UInt64) -> Int {
        value < 8 ? 0 : (64 - value.leadingZeroBitCount + 7) / 8
    }

    private static func append(_ value: UInt64, byteCount: Int, to bytes: inout [UInt8]) {
        // A loop, because the generic iterator of `stride` is slower than all else here.
        var shift = UInt64(8 * byteCount)
        while 0 < shift {
            shift -= 8
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}
