/// Appends big-endian fields; the mirror of `ByteReader`.
package struct ByteWriter {
    package private(set) var bytes: [UInt8] = []

    /// - Parameter capacity: expected number of bytes, so that the array grows once.
    package init(capacity: Int) { bytes.reserveCapacity(capacity) }

    package mutating func u8(_ value: UInt8) { bytes.append(value) }
    package mutating func u16(_ value: UInt16) { integer(value) }
    package mutating func u32(_ value: UInt32) { integer(value) }
    package mutating func u64(_ value: UInt64) { integer(value) }

    private mutating func integer(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends the low `byteCount` bytes of `value`, 1 to 8.
    package mutating func number(_ value: UInt64, byteCount: Int) {
        for index in stride(from: byteCount - 1, through: 0, by: -1) {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index)))
        }
    }

    package mutating func raw(_ more: some Collection<UInt8>) { bytes.append(contentsOf: more) }
}
