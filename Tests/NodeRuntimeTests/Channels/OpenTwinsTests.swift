import Channels
import NodeRuntime
import Testing

@Suite("Open channels with the name of a channel with a code")
struct OpenTwinsTests {
    private static func warnings(_ joined: [String], _ keys: [String: [String]] = [:]) throws -> [String] {
        OpenTwins.warnings(
            joined: try joined.map { try ChannelName(typed: $0) },
            keys: try keys.sorted { $0.key < $1.key }.map { key in
                (key.key, try key.value.map { try ChannelName(typed: $0) })
            })
    }

    @Test("a node on both, and each key that speaks on the open one, is warned")
    func both() throws {
        let warnings = try Self.warnings(
            ["main", "Lights", "code:lights"], ["boss": ["lights", "main"], "desk": ["code:lights"]])
        #expect(
            warnings == [
                "this node is on code:lights and on the open channel lights",
                "talk key 'boss' speaks on the open channel lights, and not on code:lights",
            ])
    }

    @Test("there is no warning of one alone, and of the open channel a key alone may be the fault")
    func one() throws {
        #expect(try Self.warnings(["main", "lights"], ["boss": ["lights"]]).isEmpty)
        #expect(try Self.warnings(["code:lights"], ["boss": ["code:lights"]]).isEmpty)
        #expect(try Self.warnings(["code:lights"], ["boss": ["lights"]]).count == 1)
    }
}
