import Trust

/// How hard a code is to guess, estimated low. It knows repetition and order, but no phrases: a line of a song is
/// overrated.
///
/// A word of the list is worth 11 bits. In other words, a letter is worth 2 bits and a digit 3. A word is worth nothing
/// if an earlier one has the same first four letters. A character is worth nothing if it equals the one before it, is
/// its neighbour, or followed the same one before: `1234`, `aaaa`, `acacac`.
package enum CodeStrength {
    /// The least of a code of a mesh or of a channel. Everybody in reach may guess that of a mesh, 100 times a second
    /// at each node, for weeks.
    package static let bitsMin = 40

    private static let wordBits = 11
    private static let letterBits = 2
    private static let digitBits = 3
    private static let stemLetters = 4

    /// The estimate for a code, in bits.
    package static func bits(of code: TypedCode) -> Int {
        var sum = 0
        var stems: Set<String> = []
        var pairs: Set<[UInt8]> = []
        var former: UInt8?
        for bytes in code.folded.bytes.split(separator: UInt8(ascii: "-")) {
            let word = String(decoding: bytes, as: UTF8.self)
            guard stems.insert(String(word.prefix(stemLetters))).inserted else { continue }
            let isListed = isListed(word)
            for character in bytes {
                let isExpected =
                    former.map { abs(Int($0) - Int(character)) <= 1 || !pairs.insert([$0, character]).inserted }
                    ?? false
                former = character
                if !isListed, !isExpected { sum += character <= UInt8(ascii: "9") ? digitBits : letterBits }
            }
            if isListed { sum += wordBits }
        }
        return sum
    }

    private static let listed = Set(CodeWordList.all)

    /// Whether a word is one of the list.
    fileprivate static func isListed(_ word: String) -> Bool { listed.contains(word) }
}

/// Why a text is refused as a code.
package enum CodeFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nothing of it counts.
    case empty
    case tooLong
    /// It is easily guessed.
    case weak(bits: Int)
    /// A word of a code that somebody drew is not in the list, and looks like one that is.
    case mistyped(word: String, near: String)
    /// Words of a code that somebody drew have nothing between them.
    case glued
    /// A number that is neither a pairing code nor a code of a mesh.
    case digits
    /// A pairing code, where a code of a mesh is needed.
    case pairing

    package var description: String {
        switch self {
        case .empty: "the code is empty: it needs letters of a to z, or digits"
        case .tooLong: "the code is longer than \(FoldedCode.typedBytesMax) bytes"
        case .weak(let bits):
            """
            the code is too easy to guess: about \(bits) bits, and \(CodeStrength.bitsMin) are needed. Four words that \
            partyline draws have 44; words of your own need spaces between them
            """
        case .mistyped(let word, let near): "'\(word)' is no code word, did you mean '\(near)'?"
        case .glued: "the words of a code are written apart, and some of these are not"
        case .digits:
            "a pairing code has \(PairingCode.digitCount) digits, and the code of a mesh mostly has four words"
        case .pairing:
            """
            \(PairingCode.digitCount) digits are a pairing code, which is typed at `partyline enter` within five \
            minutes; here the code of the mesh is needed
            """
        }
    }
}

extension TypedCode {
    /// A code that a person typed, to enter a mesh that has it.
    /// - Throws: `empty` or `tooLong`.
    package static func typed(_ text: String) throws(CodeFault) -> TypedCode {
        guard text.utf8.count <= FoldedCode.typedBytesMax else { throw .tooLong }
        guard let code = TypedCode(text) else { throw .empty }
        return code
    }

    /// A code that a person chose for a mesh or for a channel.
    /// - Throws: also `weak`.
    package static func chosen(_ text: String) throws(CodeFault) -> TypedCode {
        let code = try typed(text)
        let bits = CodeStrength.bits(of: code)
        guard CodeStrength.bitsMin <= bits else { throw .weak(bits: bits) }
        return code
    }

    /// A code that a person typed, to join a channel that has it. A weak code is most often one of drawn words with a
    /// typing mistake; the joiner has not chosen it, so the strength tells them nothing.
    /// - Throws: as `chosen`; in place of `weak` also `glued`, or `mistyped` if two words or more are drawn ones, and
    ///   another is like a word of the list.
    package static func joining(_ text: String) throws(CodeFault) -> TypedCode {
        do throws(CodeFault) {
            return try chosen(text)
        } catch {
            guard case .weak = error, let code = TypedCode(text), let fault = code.mistake else { throw error }
            throw fault
        }
    }

    /// The reason, for a newcomer, to doubt that this is the code as partyline drew it. Nil for four words of the list,
    /// and for a code that a person chose, because that may have any words.
    package var hint: String? {
        if let mistake { return "\(mistake)" }
        guard let others = wordsBesideDrawn else { return nil }
        if let other = others.first { return "'\(other)' is no code word" }
        guard words.count != TypedCode.wordCount else { return nil }
        return "a code that partyline draws has \(TypedCode.wordCount) words, and this one has \(words.count)"
    }

    private static let drawnWordsMin = 2

    /// The words that are not of the list. Nil if fewer than `drawnWordsMin` are of it: then partyline has probably not
    /// drawn the code.
    private var wordsBesideDrawn: [String]? {
        let others = words.filter { !CodeStrength.isListed($0) }
        return TypedCode.drawnWordsMin <= words.count - others.count ? others : nil
    }

    /// What shows that a person has mistyped a code that partyline drew; nil if nothing does.
    private var mistake: CodeFault? { isGlued ? .glued : mistypedWord }

    /// Whether the code would be one that partyline draws if its words were written apart.
    private var isGlued: Bool {
        words.count < TypedCode.wordCount && TypedCode.isRun(words.joined()[...], of: TypedCode.wordCount)
    }

    /// Whether the letters are those of so many words of the list, one after another.
    private static func isRun(_ letters: Substring, of count: Int) -> Bool {
        guard 0 < count else { return letters.isEmpty }
        return CodeWordList.letterCounts.contains { length in
            CodeStrength.isListed(String(letters.prefix(length)))
                && isRun(letters.dropFirst(length), of: count - 1)
        }
    }

    private var mistypedWord: CodeFault? {
        for word in wordsBesideDrawn ?? [] {
            if let near = NearestWord.of(word, among: CodeWordList.all) { return .mistyped(word: word, near: near) }
        }
        return nil
    }
}
