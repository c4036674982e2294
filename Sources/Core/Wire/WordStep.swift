/// A step of a comparison of words (docs/WIRE.md, "Comparison of words"). Each has 32 bytes.
package enum WordStep: Hashable, Sendable {
    /// Binds the first side to its nonce, which it shows last.
    case commit([UInt8])
    /// The nonce of the second side.
    case answer([UInt8])
    /// The nonce of the first side.
    case open([UInt8])

    package static let bytesMax = 1 + WireSizes.nonceBytes

    private var parts: (number: UInt8, bytes: [UInt8]) {
        switch self {
        case .commit(let commitment): (0, commitment)
        case .answer(let nonce): (1, nonce)
        case .open(let nonce): (2, nonce)
        }
    }

    /// - Precondition: 32 bytes.
    package func encoded() -> [UInt8] {
        precondition(parts.bytes.count == WireSizes.nonceBytes, "\(parts.bytes.count) bytes in a step")
        return [parts.number] + parts.bytes
    }

    /// - Throws: `truncated`, `oversized`, or `unknownKind` for an unknown step.
    package init(parsing bytes: [UInt8]) throws(WireError) {
        guard let number = bytes.first, WordStep.bytesMax <= bytes.count else { throw .truncated }
        guard bytes.count == WordStep.bytesMax else { throw .oversized }
        let rest = Array(bytes.dropFirst())
        switch number {
        case 0: self = .commit(rest)
        case 1: self = .answer(rest)
        case 2: self = .open(rest)
        default: throw .unknownKind
        }
    }
}
