import Commands
import Foundation
import NodeRuntime
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

/// The tables and the screen in 80 × 24, as people see them.
@Suite("What people see in 80 columns")
struct GoldenTests {
    private func check(_ lines: [String], _ name: String) throws {
        try Golden.check(lines, name)
        for line in lines { #expect(Columns.width(line) <= 80, "\(line)") }
    }

    @Test("partyline status")
    func status() throws { try check(StatusText(StatusTextTests.status, paint: .plain).lines, "status") }

    @Test("partyline channels")
    func channels() throws {
        try check(ChannelTable(ChannelTableTests.document, showsHidden: true, paint: .plain).lines, "channels")
    }

    @Test("partyline keys")
    func keys() throws { try check(KeysTable(TopScreenTests.keys, paint: .plain).lines, "keys") }

    @Test("partyline top while two peers talk and one is gone")
    func top() throws {
        try check(TopScreen(TopScreenTests.view, columns: 80, rows: 24, paint: .plain).lines, "top")
    }

    @Test("partyline top of a node that has just started")
    func topAlone() throws {
        try check(TopScreen(TopScreenTests.alone, columns: 80, rows: 24, paint: .plain).lines, "top-alone")
    }

    @Test("partyline top of a crew that does not fit")
    func topCrowded() throws {
        try check(TopScreen(TopScreenTests.crowded, columns: 80, rows: 24, paint: .plain).lines, "top-crowded")
    }

    @Test("partyline top --plain: the state, then what changes")
    func topPlain() throws {
        let (before, after) = (TopScreenTests.alone, TopScreenTests.view)
        try Golden.check(TopChanges.all(before) + ["--"] + TopChanges.between(before, after), "top-plain")
    }
}
