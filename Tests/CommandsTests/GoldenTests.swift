import Commands
import NodeRuntime
import Testing

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
