import ControlPlane
import Foundation
import NodeRuntime
import Primitives

/// Writes lines for people and JSON documents for programs.
enum Output {
    static func line(_ text: String) {
        print(text)
        // Each line must arrive at once, even through a pipe.
        fflush(nil)
    }

    static func lines(_ lines: [String]) { line(lines.joined(separator: "\n")) }

    /// Writes a document, indented.
    static func document(_ document: some Encodable) { json(document, .indented) }

    /// Writes a document on one line.
    static func compactDocument(_ document: some Encodable) { json(document, .oneLine) }

    private static func json(_ document: some Encodable, _ layout: DocumentJSON.Layout) {
        line(String(decoding: DocumentJSON.bytes(of: document, layout: layout), as: UTF8.self))
    }

    /// Writes a note to standard error, so that programs that read standard output do not get it.
    static func note(_ text: String) { FileHandle.standardError.write(Data("partyline: \(text)\n".utf8)) }

    /// Sanitises text from the node for a terminal. The node is not trusted to have done so.
    static func safe(_ text: String) -> String { SafeText(text, graphemesMax: 400, bytesMax: 1_600).string }
}
