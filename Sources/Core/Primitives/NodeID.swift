/// The identity of a node for as long as it keeps its key: SHA-256 of the public key's SubjectPublicKeyInfo (RFC 5280
/// §4.1).
///
/// The 32 bytes are stored as four big-endian words. They are cheap to compare, and have the order of the bytes, which
/// the leader election needs.
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
