import ControlPlane
import Foundation
import NodeRuntime
import Primitives

/// Writes lines for people and JSON documents for programs.
///
/// Functions for standard output throw `StandardOutputFault` if it does not take the text; `Program` tells the person.
enum Output {
    static func line(_ text: String) throws { try StandardOutput.write(text + "\n") }

    static func lines(_ lines: [String]) throws { try line(lines.joined(separator: "\n")) }

    /// Writes a document, indented.
    static func document(_ document: some Encodable) throws { try json(document, .indented) }

    /// Writes a document on one line.
    static func compactDocument(_ document: some Encodable) throws { try json(document, .oneLine) }

    private static func json(_ document: some Encodable, _ layout: DocumentJSON.Layout) throws {
        try line(String(decoding: DocumentJSON.bytes(of: document, layout: layout), as: UTF8.self))
    }

    /// Writes a note to standard error, so that programs that read standard output do not get it.
    static func note(_ text: String) { ask("partyline: \(text)\n") }

    /// Writes to standard error, and does not end the line. A text that standard error does not take is lost: there is
    /// nowhere else to say so.
    static func ask(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }

    /// Sanitises text from the node for a terminal. The node is not trusted to have done so.
    static func safe(_ text: String) -> String { SafeText(text, graphemesMax: 400, bytesMax: 1_600).string }

    /// Sanitises texts from the node, and lists them. Each text has the bound of `safe`; the list has none.
    static func list(_ texts: [String]) -> String { texts.map(safe).joined(separator: ", ") }
}
