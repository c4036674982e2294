/// A code as it counts. Case, spaces and marks do not matter: `Kite, OVEN  lamp` is `kite-oven-lamp`.
package struct FoldedCode: Hashable, Sendable {
    /// A typed code with more bytes of UTF-8 is refused.
    package static let typedBytesMax = 256
    private static let hyphen = UInt8(ascii: "-")

    /// Letters a to z and digits; one hyphen between two runs of them.
    package let bytes: [UInt8]

    /// Folds a typed code. Nil if it is too long, or no letter and no digit is in it.
    package init?(_ typed: String) {
        guard typed.utf8.count <= FoldedCode.typedBytesMax else { return nil }
        var folded: [UInt8] = []
        var isApart = false
        for byte in typed.utf8 {
            guard let kept = FoldedCode.kept(byte) else {
                isApart = true
                continue
            }
            if isApart, !folded.isEmpty { folded.append(FoldedCode.hyphen) }
            isApart = false
            folded.append(kept)
        }
        guard !folded.isEmpty else { return nil }
        bytes = folded
    }

    private static func kept(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte + (UInt8(ascii: "a") - UInt8(ascii: "A"))
        default: nil
        }
    }
}

extension FoldedCode: CustomStringConvertible {
    package var description: String { "(hidden)" }
}
