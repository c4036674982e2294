import Trust

/// How hard a code is to guess, estimated so low that a code of somebody's own choice is not overrated.
///
/// A word of the list is worth 11 bits. In other words, a letter is worth 2 bits and a digit 3. A word that comes again
/// is worth nothing, and so is a character that equals the one before it, or is its neighbour: `1234`, `aaaa`.
package enum CodeStrength {
    /// The least of a standing code. Everybody in reach may guess, 100 times a second at each node, for weeks.
    package static let bitsMin = 40

    private static let wordBits = 11
    private static let letterBits = 2
    private static let digitBits = 3

    /// The estimate for a code, in bits.
    package static func bits(of code: MeshCode) -> Int {
        let words = code.folded.bytes.split(separator: UInt8(ascii: "-")).map { String(decoding: $0, as: UTF8.self) }
        return words.indices.reduce(0) { sum, index in
            words[..<index].contains(words[index]) ? sum : sum + bits(ofWord: words[index])
        }
    }

    private static func bits(ofWord word: String) -> Int {
        guard !listed.contains(word) else { return wordBits }
        var sum = 0
        var former: UInt8?
        for character in word.utf8 {
            let isExpected = former.map { abs(Int($0) - Int(character)) <= 1 } ?? false
            former = character
            if !isExpected { sum += character <= UInt8(ascii: "9") ? digitBits : letterBits }
        }
        return sum
    }

    private static let listed = Set(CodeWordList.all)
}

/// Why a text is no standing code.
package enum CodeFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nothing of it counts.
    case empty
    case tooLong
    /// It is easily guessed.
    case weak(bits: Int)

    package var description: String {
        switch self {
        case .empty: "the code is empty: it needs letters of a to z, or digits"
        case .tooLong: "the code is longer than \(FoldedCode.typedBytesMax) bytes"
        case .weak(let bits):
            """
            the code is too easy to guess: about \(bits) bits, and \(CodeStrength.bitsMin) are needed. Four words that \
            `partyline init` chooses have 44; words of your own need spaces between them
            """
        }
    }
}

extension MeshCode {
    /// A code that somebody typed, to enter a mesh that has it.
    /// - Throws: `empty` or `tooLong`.
    package static func typed(_ text: String) throws(CodeFault) -> MeshCode {
        guard text.utf8.count <= FoldedCode.typedBytesMax else { throw .tooLong }
        guard let code = MeshCode(text) else { throw .empty }
        return code
    }

    /// A code that somebody chose for a mesh of their own.
    /// - Throws: also `weak`.
    package static func chosen(_ text: String) throws(CodeFault) -> MeshCode {
        let code = try typed(text)
        let bits = CodeStrength.bits(of: code)
        guard CodeStrength.bitsMin <= bits else { throw .weak(bits: bits) }
        return code
    }
}
