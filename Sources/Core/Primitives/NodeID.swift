/// The identity of a node for as long as it keeps its key: SHA-256 of the public key's SubjectPublicKeyInfo (RFC 5280
/// §4.1).
///
/// The 32 bytes are stored as four big-endian words. They are cheap to compare, and have the order of the bytes: the
/// greater of two nodes leads.
public struct NodeID: Hashable, Comparable, Sendable {
    public static let byteCount = 32

    private let w0: UInt64
    private let w1: UInt64
    private let w2: UInt64
    private let w3: UInt64

    /// Nil unless `bytes` are exactly 32.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == NodeID.byteCount else { return nil }
        // As an array, so that the loop below is not a call for each byte of an unknown collection.
        let bytes = Array(bytes)
        func word(at index: Int) -> UInt64 {
            var value: UInt64 = 0
            for byte in bytes[index..<index + 8] { value = value << 8 | UInt64(byte) }
            return value
        }
        (w0, w1, w2, w3) = (word(at: 0), word(at: 8), word(at: 16), word(at: 24))
    }

    /// Makes a NodeID from four big-endian words.
    public init(words: (UInt64, UInt64, UInt64, UInt64)) { (w0, w1, w2, w3) = words }

    /// The 32 bytes as four big-endian words.
    public var words: (UInt64, UInt64, UInt64, UInt64) { (w0, w1, w2, w3) }

    public var bytes: [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(NodeID.byteCount)
        for word in [w0, w1, w2, w3] { withUnsafeBytes(of: word.bigEndian) { out.append(contentsOf: $0) } }
        return out
    }

    public static func < (a: NodeID, b: NodeID) -> Bool {
        (a.w0, a.w1, a.w2, a.w3) < (b.w0, b.w1, b.w2, b.w3)
    }

    /// A short label for people, such as `4f2a-91c0`. It proves nothing: an attacker can find a key with the same label
    /// by trying keys.
    public var short: String {
        let hex = String(w0 >> 32, radix: 16)
        let padded = String(repeating: "0", count: 8 - hex.count) + hex
        return "\(padded.prefix(4))-\(padded.suffix(4))"
    }
}

extension NodeID: CustomStringConvertible {
    public var description: String { short }
}

/// The full text form of a NodeID, as Syncthing writes device ids: base32 (alphabet of RFC 4648) in eight groups of
/// seven characters. Every fourteenth character is a check digit (a variant of Luhn mod N).
extension NodeID {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
    /// Digits of 5 bits that hold the 256 bits of a NodeID, and digits before each check digit.
    private static let digitCount = 52
    private static let checkedRun = 13

    /// The text form: 56 characters and seven dashes.
    package var text: String {
        var digits: [Int] = []
        var accumulator: UInt32 = 0
        var bitCount: UInt32 = 0
        for byte in bytes {
            accumulator = (accumulator << 8 | UInt32(byte)) & 0xFFFF
            bitCount += 8
            while 5 <= bitCount {
                bitCount -= 5
                digits.append(Int(accumulator >> bitCount & 31))
            }
        }
        digits.append(Int(accumulator << (5 - bitCount) & 31))
        var characters: [UInt8] = []
        for start in stride(from: 0, to: NodeID.digitCount, by: NodeID.checkedRun) {
            let run = digits[start..<start + NodeID.checkedRun]
            characters += (run + [NodeID.checkDigit(of: run)]).map { NodeID.alphabet[$0] }
        }
        let groups = stride(from: 0, to: characters.count, by: 7).map { characters[$0..<$0 + 7] }
        return groups.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
    }

    /// Parses the text form; dashes, spaces and case are ignored. Nil if the length, a character or a check digit is
    /// wrong.
    package init?(text: String) {
        let isLower = UInt8(ascii: "a")...UInt8(ascii: "z")
        let letters = text.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") }
            .map { isLower.contains($0) ? $0 - 32 : $0 }
        guard letters.count == NodeID.digitCount + 4 else { return nil }
        var digits: [Int] = []
        for letter in letters {
            guard let digit = NodeID.alphabet.firstIndex(of: letter) else { return nil }
            digits.append(digit)
        }
        var data: [Int] = []
        for start in stride(from: 0, to: digits.count, by: NodeID.checkedRun + 1) {
            let run = digits[start..<start + NodeID.checkedRun]
            guard NodeID.checkDigit(of: run) == digits[start + NodeID.checkedRun] else { return nil }
            data += run
        }
        var bytes: [UInt8] = []
        var accumulator: UInt32 = 0
        var bitCount: UInt32 = 0
        for digit in data {
            accumulator = (accumulator << 5 | UInt32(digit)) & 0xFFFF
            bitCount += 5
            if 8 <= bitCount {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: accumulator >> bitCount))
            }
        }
        guard accumulator & ((1 << bitCount) - 1) == 0 else { return nil }
        self.init(bytes)
    }

    private static func checkDigit(of run: ArraySlice<Int>) -> Int {
        var factor = 1
        var sum = 0
        for digit in run {
            let product = factor * digit
            sum += product / 32 + product % 32
            factor = 3 - factor
        }
        return (32 - sum % 32) % 32
    }
}
