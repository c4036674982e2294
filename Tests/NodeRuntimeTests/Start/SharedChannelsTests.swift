import ControlPlane
import NodeRuntime
import Testing

/// Whole nodes share the directory of channels.
@Suite("channels of whole nodes", .serialized, .timeLimit(.minutes(1)))
struct SharedChannelsTests {
    @Test("a channel that one node creates is in the list of the other, and goes when it is deleted")
    func shared() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null"])
        let b = try await bench.start("b", [.input: "null"], peer: a)
        try await NodeBench.onThread {
            try b.awaitStatus("linked") { $0.mesh.linksUp == 1 }
            try a.ask(ChannelCreateRequest(name: "Lights"))
            // The channel that both are on gets its entry by itself, with an event of the same kind.
            try b.awaitChannel("Lights") { $0.creatorName == "a" && !$0.joined && $0.members == [] }
            try b.awaitEvent("channel_created")
            #expect(try Self.channel("Lights", at: a)?.creatorName == "a")
            #expect(throws: ControlClientError.self, "the name is taken") {
                try b.ask(ChannelCreateRequest(name: "LIGHTS"))
            }
            #expect(throws: ControlClientError.self, "no name") { try b.ask(ChannelCreateRequest(name: "\u{202E}")) }
            try a.awaitChannel("main") { $0.joined && $0.members == ["b"] }
            try b.awaitChannel("main") { $0.joined && $0.members == ["a"] }
            try b.ask(ChannelHideRequest(name: "main", hidden: true))
            #expect(try Self.channel("main", at: b)?.hidden == true)
            #expect(try Self.channel("main", at: a)?.hidden == false)
            // A node changes a channel once in two seconds.
            try a.awaitStatus("deleted") { _ in (try? a.ask(ChannelDeleteRequest(name: "Lights"))) != nil }
            try b.awaitEvent("channel_deleted")
            #expect(try Self.channel("Lights", at: b) == nil)
            for node in [a, b] { try node.stop() }
        }
        for node in [a, b] { try await node.ended() }
        // What a node knew, it knows after a restart.
        let again = try await bench.start("b", [.input: "null"])
        try await NodeBench.onThread {
            #expect(try Self.channel("main", at: again)?.hidden == true)
            #expect(try Self.channel("Lights", at: again) == nil)
            try again.stop()
        }
        try await again.ended()
    }

    @Test("the event of a renaming has the new name also at another node, which gets the entry of that name later")
    func renamingEvent() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null"])
        let b = try await bench.start("b", [.input: "null"], peer: a)
        try await NodeBench.onThread {
            try b.awaitStatus("linked") { $0.mesh.linksUp == 1 }
            try a.ask(ChannelCreateRequest(name: "cue"))
            try b.awaitChannel("cue") { $0.creatorName == "a" }
            // A node changes a channel once in two seconds.
            try a.awaitStatus("renamed") { _ in
                (try? a.ask(ChannelRenameRequest(name: "cue", newName: "show"))) != nil
            }
            let event = try b.nextEvent(of: "channel_deleted")
            #expect(event.text == "a renamed cue to show")
            #expect(event.details["now"] == "show")
            for node in [a, b] { try node.stop() }
        }
        for node in [a, b] { try await node.ended() }
    }

    @Test("the status and the events of each node show the spelling of a channel that its creator has corrected")
    func correctedSpelling() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null", .channel: "lamp"])
        try await NodeBench.onThread { try a.awaitChannel("lamp") { $0.creatorName == "a" } }
        let b = try await bench.start("b", [.input: "null", .channel: "lamp"], peer: a)
        try await NodeBench.onThread {
            try b.awaitChannel("lamp") { $0.members == ["a"] && $0.creatorName == "a" }
            // A node changes a channel once in two seconds.
            try a.awaitStatus("corrected") { _ in
                (try? a.ask(ChannelRenameRequest(name: "lamp", newName: "Lamp"))) != nil
            }
            for node in [a, b] {
                try node.awaitStatus("the new spelling") { $0.node.channels == ["Lamp"] }
                let event = try node.nextEvent(of: "channel_deleted")
                #expect(event.text == "a renamed lamp to Lamp")
                #expect(event.details["channel"] == "lamp" && event.details["now"] == "Lamp")
            }
            try b.ask(JoinRequest(channel: "lamp"))
            #expect(try b.ask(StatusRequest()).node.channels == ["Lamp"])
            for node in [a, b] { try node.stop() }
        }
        for node in [a, b] { try await node.ended() }
    }

    @Test("a member that follows a renaming is told of once, on the renamed channel, and not as gone")
    func followedRenaming() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null", .channel: "cue"])
        try await NodeBench.onThread { try a.awaitChannel("cue") { $0.creatorName == "a" } }
        let b = try await bench.start("b", [.input: "null", .channel: "cue"], peer: a)
        try await NodeBench.onThread {
            try a.awaitChannel("cue") { $0.members == ["b"] }
            try b.awaitChannel("cue") { $0.members == ["a"] && $0.creatorName == "a" }
            // A node changes a channel once in two seconds.
            try a.awaitStatus("renamed") { _ in
                (try? a.ask(ChannelRenameRequest(name: "cue", newName: "show"))) != nil
            }
            try Self.expectTold(at: a, of: "b")
            try Self.expectTold(at: b, of: "a")
            for node in [a, b] { #expect(try Self.channel("show", at: node)?.formerNames == ["cue"]) }
            for node in [a, b] { try node.stop() }
        }
        for node in [a, b] { try await node.ended() }
    }

    /// Expects that a node has told of its only peer on the channel where they met, and on the renamed one.
    private static func expectTold(at node: NodeUnderTest, of peer: String) throws {
        try node.awaitStatus("\(peer) on the renamed channel") { _ in
            (try? visits(at: node))?.last == "\(peer) is on show"
        }
        #expect(try visits(at: node) == ["\(peer) is on cue", "\(peer) is on show"])
    }

    /// What a node has told of peers that come to its channels or go.
    private static func visits(at node: NodeUnderTest) throws -> [String] {
        try node.ask(LatestEventsRequest()).events
            .filter { ["channel_joined", "channel_left"].contains($0.kind) }.map(\.text)
    }

    @Test("a node that starts with the former name of a channel that it has renamed is on the renamed channel")
    func renamed() async throws {
        let bench = try NodeBench()
        let first = try await bench.start("a", [.input: "null", .channel: "cue"])
        try await NodeBench.onThread {
            // The channel gets its entry after some seconds.
            try first.awaitStatus("renamed") { _ in
                (try? first.ask(ChannelRenameRequest(name: "cue", newName: "show"))) != nil
            }
            try first.stop()
        }
        try await first.ended()
        let again = try await bench.start("a", [.input: "null", .channel: "cue"])
        try await NodeBench.onThread {
            try again.awaitStatus("it has followed") { $0.node.channels == ["show"] }
            #expect(try Self.channel("cue", at: again) == nil)
            try again.stop()
        }
        try await again.ended()
    }

    @Test("the status of a newcomer on the former name of a channel names the channel, and tells of a deletion")
    func formerName() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null", .channel: "cue"])
        let address = try await NodeBench.onThread {
            try a.awaitStatus("renamed") { _ in
                (try? a.ask(ChannelRenameRequest(name: "cue", newName: "show"))) != nil
            }
            return try a.address()
        }
        let b = try await bench.start("b", [.input: "null", .peer: address, .channel: "cue"])
        try await NodeBench.onThread {
            try b.awaitStatus("it is told of the renaming") { status in
                status.health.contains { $0.contains("`partyline join show` goes there") }
            }
            try b.ask(JoinRequest(channel: "show"))
            try b.ask(PartRequest(channel: "cue"))
            #expect(try b.ask(StatusRequest()).health.allSatisfy { !$0.contains("cue") })
            try a.awaitStatus("deleted") { _ in (try? a.ask(ChannelDeleteRequest(name: "show"))) != nil }
            try b.awaitStatus("it is told of the deletion") { status in
                status.health.contains { $0.hasPrefix("channel show was deleted, and this node is still on it") }
            }
            for node in [a, b] { try node.stop() }
        }
        for node in [a, b] { try await node.ended() }
    }

    private static func channel(_ name: String, at node: NodeUnderTest) throws -> ChannelsDocument.Channel? {
        try node.ask(ChannelsRequest()).channels.first { $0.name == name }
    }
}

extension NodeUnderTest {
    /// Asks for the channels until one is as wanted. Throws `NotInTime` if it is not within 10 s.
    fileprivate func awaitChannel(_ name: String, until isWanted: (ChannelsDocument.Channel) -> Bool) throws {
        try awaitChannels("channel \(name)") { $0.channels.first { $0.name == name }.map(isWanted) ?? false }
    }
}
