import FoundationEssentials
import Primitives

/// How documents are written as JSON, on the socket and by `--json`.
///
/// The key of a property is its name in snake case: `rttMs` is `rtt_ms`. So no document lists its keys, and the name of
/// a property carries its unit as the key does. A name must survive the way there and back: `shortId`, not `shortID`.
package enum DocumentJSON {
    package enum Layout: Sendable {
        /// For sockets and streams.
        case oneLine
        /// For people.
        case indented
    }

    /// Returns the text of `document`, without a line feed at its end; keys are sorted, so that equal documents are
    /// equal bytes.
    package static func bytes(of document: some Encodable, layout: Layout = .oneLine) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if layout == .indented { encoder.outputFormatting.insert(.prettyPrinted) }
        // An infinite level would otherwise make the whole document unwritable.
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        do {
            return [UInt8](try encoder.encode(document))
        } catch {
            illegal("\(error)", in: "encoding \(type(of: document))")
        }
    }

    /// Returns the document that `bytes` hold.
    ///
    /// - Throws: `DecodingError` where they hold none, or another one.
    package static func document<Document: Decodable>(_ type: Document.Type, in bytes: [UInt8]) throws -> Document {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return try decoder.decode(type, from: Data(bytes))
    }
}
