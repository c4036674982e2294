import StateStore
import Trust

/// A code as a person types it: of a closed mesh, or of a channel.
package struct TypedCode: Hashable, Sendable {
    /// As it was typed, for `code show`.
    package let typed: String
    let folded: FoldedCode

    /// Nil if the code is too long, or no letter and no digit is in it.
    package init?(_ typed: String) {
        guard typed.utf8.count <= StateLimits.codeBytesMax, let folded = FoldedCode(typed) else { return nil }
        self.typed = typed
        self.folded = folded
    }

    /// The words as they count, without marks and in small letters.
    package var words: [String] {
        folded.bytes.split(separator: UInt8(ascii: "-")).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether both are one code: case, spaces and marks do not matter.
    package func isSame(as other: TypedCode) -> Bool { folded == other.folded }
}

extension TypedCode: CustomStringConvertible, CustomReflectable {
    package var description: String { "(hidden)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
