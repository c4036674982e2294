/// Reads big-endian fields from untrusted bytes, front to back. A read beyond the end throws `truncated`; no bytes
/// make it trap.
package struct ByteReader {
    private var bytes: [UInt8]
    private var offset = 0

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Bytes not read yet.
    package var remaining: Int { bytes.count - offset }

    /// Reads a number of 1 byte.
    /// - Throws: `truncated` if no byte is left.
    package mutating func u8() throws(WireError) -> UInt8 { try integer() }
    /// Reads a number of 2 bytes.
    /// - Throws: `truncated` if fewer bytes are left.
    package mutating func u16() throws(WireError) -> UInt16 { try integer() }
    /// Reads a number of 4 bytes.
    /// - Throws: `truncated` if fewer bytes are left.
    package mutating func u32() throws(WireError) -> UInt32 { try integer() }
    /// Reads a number of 8 bytes.
    /// - Throws: `truncated` if fewer bytes are left.
    package mutating func u64() throws(WireError) -> UInt64 { try integer() }

    private mutating func integer<Integer: FixedWidthInteger & BitwiseCopyable>() throws(WireError) -> Integer {
        let size = MemoryLayout<Integer>.size
        guard size <= remaining else { throw .truncated }
        defer { offset += size }
        return Integer(bigEndian: bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Integer.self) })
    }

    /// Reads an unsigned number of `byteCount` bytes, 1 to 8.
    /// - Throws: `truncated` if fewer bytes are left.
    package mutating func number(byteCount: Int) throws(WireError) -> UInt64 {
        precondition(1 <= byteCount && byteCount <= 8, "a number has 1 to 8 bytes")
        guard byteCount <= remaining else { throw .truncated }
        var value: UInt64 = 0
        for index in offset..<offset + byteCount { value = value << 8 | UInt64(bytes[index]) }
        offset += byteCount
        return value
    }

    /// Reads `count` bytes as they are.
    /// - Throws: `truncated` if fewer bytes are left.
    package mutating func bytes(count: Int) throws(WireError) -> [UInt8] {
        precondition(0 <= count, "a count is not negative")
        guard count <= remaining else { throw .truncated }
        defer { offset += count }
        return Array(bytes[offset..<offset + count])
    }

    /// Returns all bytes that are left: in the memory of the reader, or in a copy if something else holds that memory.
    package mutating func rest() -> [UInt8] {
        defer { (bytes, offset) = ([], 0) }
        bytes.removeFirst(offset)
        return bytes
    }

    /// Checks that everything was read.
    /// - Throws: `trailing` if bytes are left.
    package func finish() throws(WireError) {
        guard remaining == 0 else { throw .trailing }
    }
}

/// Appends big-endian fields; the mirror of `ByteReader`.
package struct ByteWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// - Parameter capacity: expected number of bytes, so that the array grows once.
    package init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Removes the bytes and keeps their memory for the next ones.
    /// - Parameter capacity: expected number of bytes.
    package mutating func removeAll(capacity: Int) {
        bytes.removeAll(keepingCapacity: true)
        bytes.reserveCapacity(capacity)
    }

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
