import Primitives
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

    /// Whether both are one code: case, and what stands between the words, do not matter.
    package func isSame(as other: TypedCode) -> Bool { folded == other.folded }
}

extension TypedCode: CustomStringConvertible, CustomReflectable {
    package var description: String { "(hidden)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension TypedCode {
    /// Words of a code that a node makes: 43.996 bits, because no word comes twice.
    static let wordCount = 4
    private static let randomBytesPerWord = 2

    /// Makes a code of four random words: `kite oven lamp zero`.
    package static func made() -> TypedCode { made { OSRandom.bytes(count: wordCount * randomBytesPerWord) } }

    /// Makes a code, and draws all words again if one came twice: such a code would be refused as too easy to guess
    /// (`CodeStrength`). All other codes are equally likely.
    /// - Parameter random: returns two random bytes for each word.
    package static func made(from random: () -> [UInt8]) -> TypedCode {
        while true {
            guard let code = TypedCode(words(random: random())) else {
                illegal("words of the list", in: "making a code")
            }
            if CodeStrength.bitsMin <= CodeStrength.bits(of: code) { return code }
        }
    }

    /// The words to which random bytes lead, with spaces between; each is as likely as any other.
    /// - Precondition: two bytes for each word.
    package static func words(random bytes: [UInt8]) -> String {
        precondition(bytes.count == wordCount * randomBytesPerWord, "\(bytes.count) random bytes")
        return stride(from: 0, to: bytes.count, by: randomBytesPerWord).map { first in
            CodeWordList.all[(Int(bytes[first]) << 8 | Int(bytes[first + 1])) % CodeWordList.all.count]
        }.joined(separator: " ")
    }
}

extension TypedCode {
    /// The warning if every user of the machine may open a file with a code; nil if they may not.
    package static func warning(ofFile path: String) -> String? {
        guard let mode = WrittenFile.modeOpenToAll(of: path) else { return nil }
        let shown = SafeText.inSentence(path)
        return "every user of this machine may open the code file \(shown) (mode \(mode)): chmod 600"
    }

    /// Reads a code from the only line of a file.
    /// - Parameter read: `chosen`, `ofMesh` or `EntryCode.typed`.
    /// - Throws: `ConfigurationError` if the file cannot be read, has more lines, or its line is no code.
    package static func read<Code>(
        file path: String, _ read: (String) throws(CodeFault) -> Code
    ) throws(ConfigurationError) -> Code {
        let place = ConfigurationError.Place.file(path: path, line: nil)
        let text = try WrittenFile.text(at: path, mayBeMissing: false) ?? ""
        let lines = text.split(whereSeparator: \.isNewline).filter { !$0.allSatisfy(\.isWhitespace) }
        guard lines.count <= 1 else {
            throw ConfigurationError(place, "has \(lines.count) lines, expected one, the code")
        }
        do throws(CodeFault) {
            return try read(String(lines.first ?? ""))
        } catch {
            throw ConfigurationError(place, "\(error)")
        }
    }
}
