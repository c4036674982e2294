/// Appends big-endian fields; the mirror of `ByteReader`.
package struct ByteWriter {
    package private(set) var bytes: [UInt8] = []

    /// - Parameter capacity: expected number of bytes, so that the array grows once.
    package init(capacity: Int) { bytes.reserveCapacity(capacity) }

    package mutating func u8(_ value: UInt8) { bytes.append(value) }
    package mutating func u16(_ value: UInt16) { number(UInt64(value), byteCount: 2) }
    package mutating func u32(_ value: UInt32) { number(UInt64(value), byteCount: 4) }
    package mutating func u64(_ value: UInt64) { number(value, byteCount: 8) }

    /// Appends the low `byteCount` bytes of `value`, 1 to 8.
    // Byte by byte: to append so few bytes as a sequence takes twice as long.
    package mutating func number(_ value: UInt64, byteCount: Int) {
        var shift = UInt64(8 * byteCount)
        while 0 < shift {
            shift -= 8
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    package mutating func raw(_ more: some Collection<UInt8>) { bytes.append(contentsOf: more) }
}
