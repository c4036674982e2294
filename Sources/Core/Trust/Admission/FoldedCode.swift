package import Primitives

/// A code as it counts. Case does not matter, nor which spaces or marks stand between two words: `Kite, OVEN  lamp` is
/// `kite-oven-lamp`. Two words without any mark between them are another code.
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

/// The two kinds of code by which a newcomer enters a closed mesh.
package enum CodeKind: Hashable, Sendable {
    /// The code of the mesh, for any time and any number of newcomers.
    case mesh
    /// The short code of a pairing window: for some minutes, one newcomer and one member.
    case pairing

    /// The label of a run of JOIN. The two labels differ, so a run between the code of a mesh and a pairing code fails.
    var joinLabel: String {
        switch self {
        case .mesh: "partyline/1 join"
        case .pairing: "partyline/1 pairing"
        }
    }
}

/// Salts of code keys.
package enum CodeSalt {
    /// The salt of the code of any mesh: a newcomer does not know the id of the mesh yet.
    package static func ofMesh(_ kind: CodeKind, with sealing: any Sealing) -> [UInt8] {
        let label =
            switch kind {
            case .mesh: "partyline/1 code"
            case .pairing: "partyline/1 pairing code"
            }
        return Array(sealing.hash(Array(label.utf8)).prefix(CodeSizes.saltBytes))
    }

    /// The salt of a channel's code.
    package static func of(_ channel: ChannelID) -> [UInt8] { channel.bytes }
}
