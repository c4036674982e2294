import ControlPlane
import Foundation
import NodeRuntime
import Primitives

/// Lines to people and documents to programs.
enum Output {
    static func line(_ text: String) {
        print(text)
        // A line each must arrive when it is written, also through a pipe.
        fflush(nil)
    }

    static func lines(_ lines: [String]) { line(lines.joined(separator: "\n")) }

    /// One versioned document, indented.
    static func document(_ document: some Encodable) { json(document, .indented) }

    /// One document on one line.
    static func compactDocument(_ document: some Encodable) { json(document, .oneLine) }

    private static func json(_ document: some Encodable, _ layout: DocumentJSON.Layout) {
        line(String(decoding: DocumentJSON.bytes(of: document, layout: layout), as: UTF8.self))
    }

    /// A remark on standard error, out of the way of what programs read.
    static func note(_ text: String) { FileHandle.standardError.write(Data("partyline: \(text)\n".utf8)) }

    /// Text from the node as a terminal may have it, whatever the node made of it.
    static func safe(_ text: String) -> String { SafeText(text, graphemesMax: 400, bytesMax: 1_600).string }
}
