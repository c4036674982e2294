import ControlPlane
import NodeRuntime
import Testing

/// Whole nodes whose talk key speaks on the channels that a person chooses.
@Suite("a talk key without targets of its own, while channels change", .serialized, .timeLimit(.minutes(1)))
struct FreeKeyTests {
    /// An order that leads the key from the channel left to main.
    enum Order: CaseIterable {
        case part, listenOnly

        func warnings(at node: NodeUnderTest) throws -> [String] {
            switch self {
            case .part: try node.ask(PartRequest(channel: "left")).warnings ?? []
            case .listenOnly: try node.ask(JoinRequest(channel: "left", manner: .listenOnly)).warnings ?? []
            }
        }
    }

    @Test(
        "a key that is down is let go before it speaks on another channel, and talks there when it is down again",
        arguments: Order.allCases, ["ptt", "latch", "open"])
    func letGo(order: Order, mode: String) async throws {
        let bench = try NodeBench()
        let b = try await bench.start("b", [.input: "null"])
        let a = try await bench.start("a", [.input: "tone:440", .talk: mode], peer: b)
        try await NodeBench.onThread {
            try a.awaitStatus("linked") { $0.mesh.linksUp == 1 }
            try a.ask(JoinRequest(channel: "left"))
            try a.ask(TalkOnRequest(channels: ["left"]))
            try a.talk(.on)
            let remedy = mode == "open" ? "`partyline talk on` talks there" : "press it anew to talk there"
            let sentence =
                "the talk key has been let go, because it speaks on main now, instead of left: \(remedy)"
            #expect(try order.warnings(at: a) == [sentence])
            #expect(try Self.keys(of: a) == ["up: main"])
            let event = try a.nextEvent(of: "talk_ended")
            #expect(event.text == sentence && event.details == ["key": "talk", "channels": "main"])
            try a.talk(.on)
            #expect(try Self.keys(of: a) == ["down: main"])
            try b.awaitChannels("a is heard on main") { document in
                document.channels.contains { $0.name == "main" && $0.talking == ["a"] }
            }
            for node in [a, b] { try node.stop() }
        }
        for node in [a, b] { try await node.ended() }
    }

    @Test("a key that is up, keeps a chosen channel, loses all, or spoke nowhere stays; the answer has its channels")
    func stays() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null", .talk: "latch"])
        try await NodeBench.onThread {
            for name in ["left", "right"] { try a.ask(JoinRequest(channel: name)) }
            try a.ask(TalkOnRequest(channels: ["left"]))
            #expect(try a.ask(PartRequest(channel: "left")).warnings == ["the talk key speaks on main now"])
            try a.ask(JoinRequest(channel: "left"))
            try a.ask(TalkOnRequest(channels: ["left", "right"]))
            try a.talk(.on)
            #expect(try a.ask(PartRequest(channel: "main")).warnings == nil)
            let kept = try a.ask(PartRequest(channel: "left")).warnings
            #expect(kept == ["the talk key is down, and speaks on right now"])
            #expect(try Self.keys(of: a) == ["down: right"])
            let none = try a.ask(PartRequest(channel: "right")).warnings
            #expect(none == ["the talk key is down, and speaks on no channel now"])
            let joined = try a.ask(JoinRequest(channel: "left")).warnings
            #expect(joined == ["the talk key is down, and speaks on left now"])
            #expect(try Self.keys(of: a) == ["down: left"])
            #expect(try a.eventsUntilNow().contains("talk_ended") == false)
            try a.stop()
        }
        try await a.ended()
    }

    @Test("a key that is down stays down when its channel is renamed, and speaks on the renamed one")
    func renamed() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null", .talk: "latch", .channel: "cue"])
        try await NodeBench.onThread {
            try a.talk(.on)
            // The channel gets its entry after some seconds.
            try a.awaitStatus("renamed") { _ in
                (try? a.ask(ChannelRenameRequest(name: "cue", newName: "show"))) != nil
            }
            try a.awaitStatus("the node has followed") { $0.node.channels == ["show"] }
            #expect(try Self.keys(of: a) == ["down: show"])
            #expect(try a.eventsUntilNow().contains("talk_ended") == false)
            try a.stop()
        }
        try await a.ended()
    }

    @Test("a key that is down stays down when a node learns of the renamings of two of its channels at once")
    func bothRenamed() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null", .simcut: "true"])
        let b = try await bench.start("b", [.input: "null", .simcut: "true", .talk: "latch"], peer: a)
        try await NodeBench.onThread {
            try b.awaitStatus("linked") { $0.mesh.linksUp == 1 }
            // A node changes a channel once in two seconds.
            for name in ["cue", "stage"] {
                try a.awaitStatus("created") { _ in (try? a.ask(ChannelCreateRequest(name: name))) != nil }
            }
            try b.awaitChannels("both channels") { document in
                document.channels.filter { $0.name != "main" && $0.creatorName == "a" }.count == 2
            }
            for name in ["cue", "stage"] { try b.ask(JoinRequest(channel: name)) }
            try b.ask(TalkOnRequest(channels: ["cue", "stage"]))
            try b.talk(.on)
            try a.cut("b", isCut: true)
            try b.cut("a", isCut: true)
            for (name, newName) in [("cue", "show"), ("stage", "lights")] {
                try a.awaitStatus("renamed") { _ in
                    (try? a.ask(ChannelRenameRequest(name: name, newName: newName))) != nil
                }
            }
            try a.cut("b", isCut: false)
            try b.cut("a", isCut: false)
            try b.awaitStatus("the node has followed") { $0.node.channels == ["main", "show", "lights"] }
            #expect(try Self.keys(of: b) == ["down: show, lights"])
            #expect(try b.eventsUntilNow().contains("talk_ended") == false)
            for node in [a, b] { try node.stop() }
        }
        for node in [a, b] { try await node.ended() }
    }

    /// The talk keys of a node: whether each is down, and the channels on which it speaks.
    private static func keys(of node: NodeUnderTest) throws -> [String] {
        try node.ask(KeysRequest()).keys.map { key in
            "\(key.down ? "down" : "up"): \(key.channels.map(\.name).joined(separator: ", "))"
        }
    }
}
