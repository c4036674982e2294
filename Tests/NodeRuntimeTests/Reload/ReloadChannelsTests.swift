import ControlPlane
import NodeRuntime
import TestKit
import Testing

/// Whole nodes whose crew file takes part in channels in another way.
@Suite("reloads that change joined channels", .serialized, .timeLimit(.minutes(1)))
struct ReloadChannelsTests {
    /// A crew file up to the channels of its role.
    private static let head = "[[channel]]\nname = \"stage\"\n[[channel]]\nname = \"lights\"\n[role.desk]\n"

    @Test("a line that is gone from the crew file is taken back, and what a person changed besides stays")
    func goneLines() async throws {
        let bench = try NodeBench()
        @Sendable func write(_ line: String) throws -> String {
            let channels = "[{ name = \"stage\"\(line) }, \"lights\"]"
            return try bench.write(Self.head + "channels = \(channels)", to: "crew.toml")
        }
        let file = try write(", listen-only = true, ear = \"left\", level = -6")
        let a = try await bench.start("a", [.input: "null", .crew: file, .role: "desk"])
        try await NodeBench.onThread {
            try a.ask(LevelRequest(channel: "lights", levelDb: -12))
            _ = try write("")
            #expect(try a.ask(ReloadRequest()).changed == ["changed stage"])
            let channels = try a.ask(ChannelsRequest()).channels
            let stage = channels.first { $0.name == "stage" }
            #expect(stage?.listens == true && stage?.talks == true)
            #expect(stage?.ear == "both" && stage?.levelDb == 0)
            #expect(channels.first { $0.name == "lights" }?.levelDb == -12, "the file never named it")
            #expect(try a.ask(ReloadRequest()) == ReloadDocument())
            try a.stop()
        }
        try await a.ended()
    }
}
