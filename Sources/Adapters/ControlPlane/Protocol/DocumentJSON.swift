import FoundationEssentials
import Primitives

/// Writes and reads documents as JSON, for the socket and for `--json`.
///
/// The key of a property is its name in snake case: `rttMs` is `rtt_ms`. So no document needs a list of keys, and a
/// property's name ends with its unit as the key does. The conversion must give the same name back: `shortId`, and not
/// `shortID`.
package enum DocumentJSON {
    package enum Layout: Sendable {
        /// For sockets and streams.
        case oneLine
        /// For people.
        case indented
    }

    /// Returns the text of `document`, without a line feed at its end. Keys are sorted, so that equal documents give
    /// equal bytes.
    package static func bytes(of document: some Encodable, layout: Layout = .oneLine) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if layout == .indented { encoder.outputFormatting.insert(.prettyPrinted) }
        // Otherwise an infinite level would make the encoding of the whole document fail.
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        do {
            return [UInt8](try encoder.encode(document))
        } catch {
            illegal("\(error)", in: "encoding \(type(of: document))")
        }
    }

    /// The key of a property: `rttMs` becomes `rtt_ms`.
    package static func snakeCase(_ name: String) -> String {
        name.reduce(into: "") { key, letter in key += letter.isUppercase ? "_" + letter.lowercased() : String(letter) }
    }

    /// Returns the document in `bytes`. A property is found under other names too: `rttMs` under `rttMs` and `rtt_MS`.
    ///
    /// - Parameter keysAsWritten: whether keys stay as they are, so that a type can read which names were written.
    /// - Throws: `DecodingError` if they hold no document, or one of another type.
    package static func document<Document: Decodable>(
        _ type: Document.Type, in bytes: [UInt8], keysAsWritten: Bool = false
    ) throws -> Document {
        let decoder = JSONDecoder()
        if !keysAsWritten { decoder.keyDecodingStrategy = .convertFromSnakeCase }
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return try decoder.decode(type, from: Data(bytes))
    }
}
