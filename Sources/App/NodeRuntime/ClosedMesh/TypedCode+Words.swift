import Primitives

extension TypedCode {
    /// Words of a code that a node makes: 44 bits.
    static let wordCount = 4
    private static let randomBytesPerWord = 2

    /// Makes a code of four random words: `kite oven lamp zero`.
    package static func made() -> TypedCode {
        guard let code = TypedCode(words(random: OSRandom.bytes(count: wordCount * randomBytesPerWord))) else {
            illegal("words of the list", in: "making a code")
        }
        return code
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
