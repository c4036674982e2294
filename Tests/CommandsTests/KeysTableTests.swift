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
}
