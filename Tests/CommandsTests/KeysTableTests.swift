import Commands
import NodeRuntime
import Testing

@Suite("The list of talk keys as text")
struct KeysTableTests {
    @Test("a deleted channel, on which people may still be, is told apart from one that is not known")
    func deleted() {
        var key = TopScreenTests.keys.keys[1]
        #expect(KeysTable.targets(of: key) == ["gone (no such channel)"])
        key.channels[0].deleted = true
        #expect(KeysTable.targets(of: key) == ["gone (deleted)"])
    }

    @Test("a last line names the peers that have not granted the talk of a key")
    func refused() throws {
        var keys = TopScreenTests.keys
        keys.keys[0].refusedBy = ["SM", "FOH"]
        let lines = KeysTable(keys, paint: .plain).lines
        #expect(lines.count == KeysTable(TopScreenTests.keys, paint: .plain).lines.count + 1)
        #expect(lines.contains { $0.hasSuffix(" not granted by  SM  FOH") })
    }
}
