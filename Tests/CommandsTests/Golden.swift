import Foundation
import Testing

/// A text file with what a command prints for a sample. `make golden` writes these files anew; look at them before you
/// commit them.
enum Golden {
    private static let isBlessing = ProcessInfo.processInfo.environment["PARTYLINE_BLESS"] == "1"

    /// Compares `lines` with the file `name`, or writes it. No line may end in spaces, and each ends with a line feed.
    static func check(_ lines: [String], _ name: String, location: SourceLocation = #_sourceLocation) throws {
        let text = lines.map { $0.trimmingSuffix(" ") + "\n" }.joined()
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Golden/\(name).txt")
        if isBlessing {
            try text.write(to: file, atomically: true, encoding: .utf8)
        } else {
            let wanted = try? String(contentsOf: file, encoding: .utf8)
            #expect(text == wanted, "\(name) differs; look at it, then run `make golden`", sourceLocation: location)
        }
    }
}

extension String {
    fileprivate func trimmingSuffix(_ end: Character) -> String {
        var text = self
        while text.last == end { text.removeLast() }
        return text
    }
}
