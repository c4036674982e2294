/// The format of a small state file, with a checksum that detects damage:
///
///     "plst" | kind u8 | version u8 | payload … | CRC-32 of all before it, big-endian
struct StateRecord {
    enum Kind: UInt8 { case identity = 1, instance = 2, mesh = 3, backup = 4 }

    static let version: UInt8 = 1
    static let overheadBytes = 10

    /// Returns the content of the file.
    static func encoded(_ kind: Kind, _ payload: [UInt8]) -> [UInt8] {
        let body = Array("plst".utf8) + [kind.rawValue, version] + payload
        return body + bigEndian(CRC32.of(body[...]))
    }

    /// Returns the payload; nil if kind, version, number of bytes or checksum is wrong.
    static func payload(_ kind: Kind, count: ClosedRange<Int>, of bytes: [UInt8]) -> [UInt8]? {
        guard count.contains(bytes.count - overheadBytes) else { return nil }
        let body = bytes.dropLast(4)
        guard body.starts(with: Array("plst".utf8) + [kind.rawValue, version]),
            Array(bytes.suffix(4)) == bigEndian(CRC32.of(body))
        else { return nil }
        return Array(body.dropFirst(6))
    }

    private static func bigEndian(_ word: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
    }
}

/// CRC-32 of IEEE 802.3 and gzip (RFC 1952 §8). It detects damage, but not a deliberate change.
enum CRC32 {
    static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var remainder = UInt32.max
        for byte in bytes {
            remainder ^= UInt32(byte)
            for _ in 0..<8 {
                remainder = remainder & 1 == 0 ? remainder >> 1 : (remainder >> 1) ^ 0xEDB8_8320
            }
        }
        return ~remainder
    }
}
