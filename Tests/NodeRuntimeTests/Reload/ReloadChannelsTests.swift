import ControlPlane
import Foundation
import NodeRuntime
import Testing

/// Whole nodes that reload a crew file with changes to their channels.
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
            let changes = "listens → listens and talks, -6 dB → 0 dB, left ear → both ears"
            #expect(try a.ask(ReloadRequest()).changed == ["changed stage: \(changes)"])
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

    /// Writes a standard configuration file, or replaces it, and returns its path.
    private static func configure(_ bench: NodeBench, _ text: String) throws -> String {
        let home = URL(fileURLWithPath: try bench.write("", to: "empty")).deletingLastPathComponent()
        let folder = home.appending(path: ".config/partyline").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return try bench.write(text, to: ".config/partyline/config.toml")
    }

    /// The channels on which the node is, and their levels.
    private static func joined(_ node: NodeUnderTest) throws -> [String] {
        try node.ask(ChannelsRequest()).channels.filter(\.joined).map { "\($0.name) \($0.levelDb ?? -99)" }.sorted()
    }

    @Test("a reload without the config.toml that was read before changes nothing, and names the file")
    func goneFile() async throws {
        let bench = try NodeBench()
        let text = "nick = \"Helm\"\nchannel = [\"main\", \"deck\"]"
        let file = try Self.configure(bench, text)
        let a = try await bench.start("a", [.input: "null"])
        try await NodeBench.onThread {
            try a.ask(LevelRequest(channel: "deck", levelDb: -12))
            try FileManager.default.removeItem(atPath: file)
            let refused = try a.ask(ReloadRequest())
            #expect(refused.mistakes.count == 1 && refused.changed.isEmpty && refused.needsRestart.isEmpty)
            #expect(refused.mistakes.first?.hasPrefix("\(file): is gone since it was read last") == true)
            #expect(try Self.joined(a) == ["deck -12.0", "main 0.0"])
            #expect(try a.ask(StatusRequest()).node.name == "Helm")
            _ = try Self.configure(bench, text)
            #expect(try a.ask(ReloadRequest()) == ReloadDocument())
            try a.stop()
        }
        try await a.ended()
    }

    @Test("a file that names no channel any more parts none; one that still names some parts the others")
    func noChannels() async throws {
        let bench = try NodeBench()
        _ = try Self.configure(bench, "channel = [\"main\", \"deck\"]\nnick = \"Helm\"")
        let a = try await bench.start("a", [.input: "null"])
        try await NodeBench.onThread {
            try a.ask(LevelRequest(channel: "deck", levelDb: -12))
            let stays = "the files name no channel any more, so the node stays on those that it has"
            for text in ["nick = \"Helm\"", "channel = []\nnick = \"Helm\""] {
                _ = try Self.configure(bench, text)
                #expect(try a.ask(ReloadRequest()).changed == [stays])
                #expect(try Self.joined(a) == ["deck -12.0", "main 0.0"])
                #expect(try a.ask(ReloadRequest()) == ReloadDocument(), "told once")
                _ = try Self.configure(bench, "channel = [\"main\", \"deck\"]\nnick = \"Helm\"")
                #expect(try a.ask(ReloadRequest()).changed == ["already on main", "already on deck"])
            }
            _ = try Self.configure(bench, "")
            #expect(try a.ask(ReloadRequest()).changed.first == stays, "an emptied file")
            _ = try Self.configure(bench, "channel = [\"main\", \"deck\"]")
            #expect(try a.ask(ReloadRequest()).changed == ["already on main", "already on deck"])
            _ = try Self.configure(bench, "channel = [\"main\"]")
            #expect(try a.ask(ReloadRequest()).changed == ["parted deck"])
            #expect(try Self.joined(a) == ["main 0.0"])
            try a.stop()
        }
        try await a.ended()
    }

    @Test("if the role names no channel any more, the node stays, and no longer wants a channel without its code")
    func emptyRole() async throws {
        let bench = try NodeBench()
        let head = "[[channel]]\nname = \"stage\"\n[[channel]]\nname = \"code:lights\"\n[role.desk]\n"
        let file = try bench.write(head + "channels = [\"stage\", \"code:lights\"]", to: "crew.toml")
        let a = try await bench.start("a", [.input: "null", .crew: file, .role: "desk"])
        try await NodeBench.onThread {
            #expect(try a.ask(StatusRequest()).node.channelsNotJoined == ["code:lights"])
            _ = try bench.write(head, to: "crew.toml")
            #expect(try a.ask(ReloadRequest()).changed.count == 1)
            #expect(try Self.joined(a) == ["stage 0.0"])
            #expect(try a.ask(StatusRequest()).node.channelsNotJoined == nil, "no file wants it now")
            try a.stop()
        }
        try await a.ended()
    }

    @Test("a renamed channel counts under its present name, whichever of its names the file has")
    func renamed() async throws {
        let bench = try NodeBench()
        let channels = ["stage", "deck", "lights"].map { "[[channel]]\nname = \"\($0)\"\n" }.joined()
        @Sendable func write(_ list: String) throws -> String {
            try bench.write(channels + "[role.desk]\nchannels = [\(list)]", to: "crew.toml")
        }
        let a = try await bench.start("a", [.input: "null", .crew: try write("\"stage\""), .role: "desk"])
        try await NodeBench.onThread {
            // The channel gets its entry after some seconds.
            try a.awaitStatus("renamed") { _ in
                (try? a.ask(ChannelRenameRequest(name: "stage", newName: "deck"))) != nil
            }
            try a.awaitStatus("the node has followed") { $0.node.channels == ["deck"] }
            _ = try write("{ name = \"stage\", level = -6 }")
            #expect(try a.ask(ReloadRequest()).changed == ["changed deck: 0 dB → -6 dB"])
            for name in ["deck", "stage"] {
                _ = try write("\"\(name)\"")
                #expect(try a.ask(ReloadRequest()).changed == ["already on deck"], "the file has only another name")
            }
            _ = try write("\"lights\"")
            #expect(try a.ask(ReloadRequest()).changed == ["parted deck", "joined lights"])
            #expect(try Self.joined(a) == ["lights 0.0"])
            _ = try write("\"lights\", \"stage\"")
            #expect(try a.ask(ReloadRequest()).changed == ["joined deck"], "as a start does")
            try a.stop()
        }
        try await a.ended()
    }

    @Test("a key that has a renamed channel by its former name gets no warning: it speaks on the renamed channel")
    func formerNameOfKey() async throws {
        let bench = try NodeBench()
        let channels = ["stage", "deck"].map { "[[channel]]\nname = \"\($0)\"\n" }.joined()
        @Sendable func write(_ keys: [String]) throws -> String {
            let tables = keys.map { "[[role.desk.key]]\nname = \"\($0)\"\nchannels = [\"stage\"]\n" }.joined()
            return try bench.write(channels + "[role.desk]\nchannels = [\"stage\"]\n" + tables, to: "crew.toml")
        }
        let a = try await bench.start("a", [.input: "null", .crew: try write(["main"]), .role: "desk"])
        try await NodeBench.onThread {
            // The channel gets its entry after some seconds.
            try a.awaitStatus("renamed") { _ in
                (try? a.ask(ChannelRenameRequest(name: "stage", newName: "deck"))) != nil
            }
            try a.awaitStatus("the node has followed") { $0.node.channels == ["deck"] }
            _ = try write(["main", "ears"])
            #expect(try a.ask(ReloadRequest()).changed == ["changed the talk keys (ears)"])
            #expect(try a.ask(KeysRequest()).keys.map { $0.channels.map(\.name) } == [["deck"], ["deck"]])
            try a.stop()
        }
        try await a.ended()
    }

    @Test("a key that is down, and loses its channel, is named in the answer and in an event")
    func silencedKey() async throws {
        let bench = try NodeBench()
        @Sendable func write(_ line: String) throws -> String {
            let channels = "[{ name = \"stage\"\(line) }, { name = \"lights\", listen-only = true }]"
            return try bench.write(Self.head + "talk = \"latch\"\nchannels = \(channels)", to: "crew.toml")
        }
        let a = try await bench.start("a", [.input: "null", .crew: try write(""), .role: "desk"])
        let b = try await bench.start("b", [.input: "null", .channel: "stage"], peer: a)
        try await NodeBench.onThread {
            try a.awaitStatus("the key reaches b") { _ in
                (try? a.ask(KeysRequest()))?.keys.first?.reaches == ["b"]
            }
            #expect(try a.ask(TalkRequest(.press)).unheard == nil)
            _ = try write(", ear = \"left\"")
            let changed = try a.ask(ReloadRequest()).changed
            #expect(changed == ["changed stage: both ears → left ear"], "the key speaks on")
            _ = try write(", listen-only = true")
            #expect(
                try a.ask(ReloadRequest()).changed == [
                    "changed stage: listens and talks → listens, left ear → both ears",
                    "attention: key 'talk' was down, and no longer speaks on stage",
                ])
            let event = try a.nextEvent(of: "talk_unheard")
            #expect(event.details == ["key": "talk"])
            #expect(
                event.text == "nobody hears key 'talk': it speaks on no channel, because this node only listens to "
                    + "stage, lights: `partyline join stage --listen-and-talk` lets it speak")
            #expect(try a.ask(ReloadRequest()) == ReloadDocument(), "told once")
            for node in [a, b] { try node.stop() }
        }
        for node in [a, b] { try await node.ended() }
    }

    @Test("a key that is down, and gets another channel for the one that it loses, is let go and named with both")
    func movedKey() async throws {
        let bench = try NodeBench()
        @Sendable func write(_ line: String) throws -> String {
            let channels = "[{ name = \"stage\"\(line) }, \"lights\"]"
            return try bench.write(Self.head + "talk = \"latch\"\nchannels = \(channels)", to: "crew.toml")
        }
        let a = try await bench.start("a", [.input: "null", .crew: try write(""), .role: "desk"])
        try await NodeBench.onThread {
            try a.ask(TalkRequest(.press))
            _ = try write(", listen-only = true")
            let sentence =
                "key 'talk' was down, and no longer speaks on stage; it has been let go, and now speaks on lights"
            #expect(
                try a.ask(ReloadRequest()).changed
                    == ["changed stage: listens and talks → listens", "attention: \(sentence)"])
            #expect(try a.ask(KeysRequest()).keys.map(\.down) == [false])
            #expect(try a.nextEvent(of: "talk_ended").details == ["key": "talk", "channels": "lights"])
            try a.stop()
        }
        try await a.ended()
    }

    @Test("the event of a key that a reload lets go has the channel on which the key speaks at the end of the reload")
    func movedTwice() async throws {
        let bench = try NodeBench()
        @Sendable func write(_ channels: String) throws -> String {
            let head = "[[channel]]\nname = \"video\"\n" + Self.head
            return try bench.write(head + "talk = \"latch\"\nchannels = [\(channels)]", to: "crew.toml")
        }
        let file = try write("\"stage\", \"lights\"")
        let a = try await bench.start("a", [.input: "null", .crew: file, .role: "desk"])
        try await NodeBench.onThread {
            try a.ask(TalkRequest(.press))
            _ = try write("\"video\"")
            #expect(try a.ask(ReloadRequest()).changed.contains("joined video"))
            let event = try a.nextEvent(of: "talk_ended")
            #expect(event.details == ["key": "talk", "channels": "video"])
            #expect(event.text.contains("it speaks on video now, instead of stage"))
            try a.stop()
        }
        try await a.ended()
    }
}
