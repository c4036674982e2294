import ControlPlane
import NodeRuntime
import Testing

/// Whole nodes that join and part channels while they run.
@Suite("channels of running nodes", .serialized, .timeLimit(.minutes(1)))
struct ChannelOrdersTests {
    @Test("a listener hears what it joined, and no more after it has parted; the next start has its channels again")
    func joinAndPart() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "tone:440", .talk: "open", .channel: "stage"])
        let b = try await bench.start("b", [.input: "null"], peer: a)
        try await NodeBench.onThread {
            try b.awaitStatus("linked, and silent: b is on main") { $0.mesh.linksUp == 1 }
            #expect(try b.ask(ChannelsRequest()).joined == ["main"])
            let joined = try b.ask(JoinRequest(channel: "Stage", levelDb: -6, ear: .left))
            #expect(Set(joined.joined.map { $0.lowercased() }) == ["main", "stage"])
            #expect(try b.ask(JoinRequest(channel: "MAIN")).joined.contains("main"), "it keeps its name")
            #expect(try b.ask(StatusRequest()).node.channels.first == "main")
            #expect(joined.joined.count == 2)
            #expect(try b.ask(JoinRequest(channel: "fly")).isNew == true)
            #expect(try b.ask(JoinRequest(channel: "fly")).isNew == false, "b has it")
            #expect(try b.ask(PartRequest(channel: "fly")).isNew == nil)
            let stage = joined.channel("stage")
            #expect(stage?.levelDb == -6 && stage?.ear == "left" && stage?.creator != nil)
            try b.awaitChannels("a is heard on stage") {
                $0.channel("stage")?.talking == ["a"] && $0.channel("stage")?.members == ["a"]
            }
            try a.awaitChannels("b listens to stage") { $0.channel("stage")?.members == ["b"] }
            try b.awaitStatus("a sounds") { -40 < $0.peers.first?.levelDbfs ?? -100 }
            #expect(try b.ask(LevelRequest(channel: "STAGE", levelDb: -12)).channel("stage")?.levelDb == -12)
            let parted = try b.ask(PartRequest(channel: "stage"))
            #expect(parted.joined == ["main"] && parted.channel("stage")?.listens == false)
            #expect(try b.ask(StatusRequest()).health.allSatisfy { !$0.contains("on no channel") })
            try b.ask(PartRequest(channel: "main"))
            #expect(try b.ask(StatusRequest()).health.contains { $0.hasPrefix("this node is on no channel") })
            try b.ask(JoinRequest(channel: "main"))
            try a.awaitChannels("b has parted") { $0.channel("stage")?.members == [] }
            try b.awaitStatus("silence") { $0.peers.first?.levelDbfs ?? -100 < -90 }
            #expect(try b.ask(JoinRequest(channel: "stage", manner: .listenOnly)).isNew == false, "a is on it")
            try b.stop()
        }
        try await b.ended()
        let again = try await bench.start("b", [.input: "null"], peer: a)
        try await NodeBench.onThread {
            try again.awaitChannels("restored") { document in
                let (main, stage) = (document.channel("main"), document.channel("stage"))
                return document.joined.count == 2 && main?.talks == true && stage?.talks == false
                    && stage?.talking == ["a"]
            }
            for node in [a, again] { try node.stop() }
        }
        for node in [a, again] { try await node.ended() }
    }

    @Test("a channel that has no room is refused with the reason, for each way to take part")
    func full() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null"])
        try await NodeBench.onThread {
            // It is on main.
            for number in 2...14 { try a.ask(JoinRequest(channel: "c\(number)")) }
            #expect(
                try a.refusal(of: JoinRequest(channel: "c15"))
                    == "a node listens to 14 channels at most; part one first")
            for number in 1...18 { try a.ask(JoinRequest(channel: "t\(number)", manner: .talkOnly)) }
            #expect(
                try a.refusal(of: JoinRequest(channel: "t19", manner: .talkOnly))
                    == "a node only talks on 18 channels at most; part one first")
            try a.stop()
        }
        try await a.ended()
    }

    @Test("the former name of a renamed channel is refused with the present one, until a person makes it anew")
    func formerName() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null"])
        try await NodeBench.onThread {
            try a.ask(ChannelCreateRequest(name: "stage"))
            // A node changes a channel once in two seconds.
            try a.awaitStatus("renamed") { _ in
                (try? a.ask(ChannelRenameRequest(name: "stage", newName: "the boards"))) != nil
            }
        }
        // This node does not know a as the creator, so it stays on the channel.
        let b = try await bench.start("b", [.input: "null", .channel: "stage"], peer: a)
        try await NodeBench.onThread {
            try b.awaitStatus("b warns of the renaming") { $0.health.contains { $0.contains("was renamed to") } }
            #expect(try b.refusal(of: JoinRequest(channel: "stage"))?.contains("is called the boards now") == true)
            #expect(
                try a.refusal(of: JoinRequest(channel: "Stage"))
                    == "channel Stage is called the boards now: `partyline join 'the boards'` goes there, "
                    + "`partyline channel create Stage` makes a new channel Stage")
            #expect(try a.ask(ChannelsRequest()).channel("stage") == nil, "the renaming holds")
            #expect(try a.ask(JoinRequest(channel: "the boards")).isNew == false)
            try a.awaitStatus("made anew") { _ in (try? a.ask(ChannelCreateRequest(name: "stage"))) != nil }
            #expect(try a.ask(JoinRequest(channel: "stage")).joined.contains("stage"))
            for node in [a, b] { try node.stop() }
        }
        for node in [a, b] { try await node.ended() }
    }

    @Test("a talker speaks on the channels that were chosen, and on no other")
    func talkOn() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "tone:440", .talk: "open"])
        let b = try await bench.start("b", [.input: "null", .channel: "lights"], peer: a)
        try await NodeBench.onThread {
            try b.awaitStatus("linked") { $0.mesh.linksUp == 1 }
            let note = KeylessChannels.note(on: "lights", spokenOn: ["main"])
            #expect(try a.ask(JoinRequest(channel: "lights")).warnings == [note])
            #expect(throws: ControlClientError.self) { try a.ask(TalkOnRequest(channels: ["sound"])) }
            let chosen = try a.ask(TalkOnRequest(channels: ["lights"]))
            #expect(chosen.channels.filter { $0.talkKeys == ["talk"] }.map(\.name) == ["lights"])
            try b.awaitChannels("a is heard on lights") {
                $0.channel("lights")?.talking == ["a"] && $0.channel("lights")?.members == ["a"]
            }
            try a.ask(TalkOnRequest(channels: ["main", "lights", "MAIN"]))
            #expect(try a.ask(StatusRequest()).node.channel == "main, lights", "a channel counts once")
            try a.ask(TalkOnRequest(channels: []))
            try b.awaitChannels("a speaks on main again") { $0.channel("lights")?.talking == [] }
            for node in [a, b] { try node.stop() }
        }
        for node in [a, b] { try await node.ended() }
    }

    @Test("events name the channels on which a peer talks, also when they change meanwhile, and those it listens to")
    func tally() async throws {
        let bench = try NodeBench()
        let b = try await bench.start("b", [.input: "null"])
        let address = try await NodeBench.onThread {
            for name in ["lights", "fly, left"] { try b.ask(JoinRequest(channel: name)) }
            return try b.address()
        }
        let a = try await bench.start("a", [.input: "null", .talk: "latch", .channel: "lights", .peer: address])
        try await NodeBench.onThread {
            func awaitNames(_ kind: String, _ names: [String]) throws {
                while try b.nextEvent(of: kind).channels != names {}
            }
            try a.awaitStatus("linked") { $0.mesh.linksUp == 1 }
            try a.ask(JoinRequest(channel: "fly, left"))
            try awaitNames("peer_channels", ["fly, left", "lights"])
            try a.ask(TalkOnRequest(channels: ["lights"]))
            try a.talk(.on)
            try awaitNames("talking", ["lights"])
            try a.ask(TalkOnRequest(channels: ["fly, left"]))
            try awaitNames("talking", ["fly, left"])
            try a.talk(.off)
            try awaitNames("talking", [])
            for node in [a, b] { try node.stop() }
        }
        for node in [a, b] { try await node.ended() }
    }

    @Test("with key tables the status shows the channels of the first key, also after an earlier talk-on")
    func talkOnThenTables() async throws {
        let bench = try NodeBench()
        let plain = try await bench.start("a", [.input: "null", .channel: "cues"])
        try await NodeBench.onThread {
            try plain.ask(JoinRequest(channel: "lights"))
            try plain.ask(TalkOnRequest(channels: ["lights"]))
            #expect(try plain.ask(StatusRequest()).node.channel == "lights")
            try plain.stop()
        }
        try await plain.ended()
        let crew = """
            [[channel]]
            name = "cues"
            [[channel]]
            name = "lights"
            [[channel]]
            name = "house"
            [role.desk]
            channels = ["cues", "lights"]
            [[role.desk.key]]
            name = "house"
            channels = ["cues", "house"]
            [[role.desk.key]]
            name = "lights"
            channels = ["lights"]
            """
        let file = try bench.write(crew, to: "crew.toml")
        let desk = try await bench.start("a", [.input: "null", .crew: file, .role: "desk"])
        let b = try await bench.start("b", [.input: "null", .channel: "cues"], peer: desk)
        try await NodeBench.onThread {
            try b.ask(JoinRequest(channel: "lights"))
            try desk.awaitChannels("b is on both") { document in
                document.channels.filter { $0.members == ["b"] }.map(\.name) == ["cues", "lights"]
            }
            let node = try desk.ask(StatusRequest()).node
            #expect(node.channel == "cues, house", "a key may speak on a channel that is not joined")
            #expect(node.channels == ["cues", "lights"])
            #expect(try desk.ask(ChannelsRequest()).joinedTalkKeys == [["house"], ["lights"]])
            #expect(try desk.ask(CallMakeRequest()).outgoing.map(\.channel) == ["cues"], "not the kept lights")
            for node in [b, desk] { try node.stop() }
        }
        for node in [b, desk] { try await node.ended() }
    }

    /// A role on two channels, with a talk key for the first one.
    private static let keyOnStage = """
        [[channel]]
        name = "stage"
        [[channel]]
        name = "lights"
        [role.desk]
        channels = ["stage", "lights"]
        [[role.desk.key]]
        name = "kb"
        channels = ["stage"]
        """

    @Test("the channels of the talk key are not chosen where each talk key has targets of its own")
    func talkOnRefused() async throws {
        let bench = try NodeBench()
        let file = try bench.write(Self.keyOnStage, to: "crew.toml")
        let a = try await bench.start("a", [.input: "null", .crew: file, .role: "desk"])
        try await NodeBench.onThread {
            let before = try a.ask(KeysRequest()).keys.map(\.channels)
            #expect {
                try a.ask(TalkOnRequest(channels: ["lights"]))
            } throws: { error in
                guard case ControlClientError.refused(let failure) = error else { return false }
                return failure.code == .notNow && failure.message.hasPrefix("each talk key has targets of its own")
            }
            #expect(try a.ask(KeysRequest()).keys.map(\.channels) == before)
            try a.stop()
        }
        try await a.ended()
    }

    @Test("a person is told of a talk key that speaks on a parted channel, or is silent on one only listened to")
    func keysOfChannel() async throws {
        let bench = try NodeBench()
        let file = try bench.write(Self.keyOnStage, to: "crew.toml")
        let a = try await bench.start("a", [.input: "null", .crew: file, .role: "desk"])
        try await NodeBench.onThread {
            let silent = try a.ask(JoinRequest(channel: "stage", manner: .listenOnly)).warnings
            #expect(
                silent == [
                    "talk key 'kb' is silent on channel stage, because this node only listens there: "
                        + "`partyline join stage --listen-and-talk` lets it speak"
                ])
            let health = try a.ask(StatusRequest()).health
            #expect(silent?.allSatisfy { health.contains($0) } == true, "the key speaks nowhere: \(health)")
            #expect(try a.ask(JoinRequest(channel: "stage", manner: .listenAndTalk)).warnings == nil)
            let note = KeylessChannels.note(on: "lights", spokenOn: nil)
            #expect(try a.ask(JoinRequest(channel: "lights")).warnings == [note], "talk-on is refused")
            #expect(try a.ask(PartRequest(channel: "lights")).warnings == nil, "no key names it")
            let live = try a.ask(PartRequest(channel: "stage")).warnings ?? []
            let start = "talk key 'kb' speaks on channel stage, which this node has not joined"
            #expect(live.count == 1 && live.allSatisfy { $0.hasPrefix(start) }, "\(live)")
            try a.stop()
        }
        try await a.ended()
    }

    @Test("warnings, reloads and the health name a channel in the spelling that its creator has corrected")
    func correctedSpelling() async throws {
        let bench = try NodeBench()
        let file = try bench.write(Self.keyOnStage, to: "crew.toml")
        let a = try await bench.start("a", [.input: "null", .crew: file, .role: "desk"])
        try await NodeBench.onThread {
            // The channels get their entries after some seconds.
            for (name, spelling) in [("stage", "Stage"), ("lights", "LIGHTS")] {
                try a.awaitStatus("corrected") { _ in
                    (try? a.ask(ChannelRenameRequest(name: name, newName: spelling))) != nil
                }
            }
            let note = KeylessChannels.note(on: "LIGHTS", spokenOn: nil)
            #expect(try a.ask(JoinRequest(channel: "lights", levelDb: -2)).warnings == [note])
            let silent = try a.ask(JoinRequest(channel: "stage", manner: .listenOnly)).warnings
            #expect(silent == SilencedKeys.warnings(on: "Stage", of: ["kb"]))
            #expect(try a.ask(StatusRequest()).health.contains { $0.contains("silent on channel Stage") })
            let text = Self.keyOnStage.replacing("[\"stage\", \"lights\"]", with: "[\"stage\"]")
            _ = try bench.write(text, to: "crew.toml")
            #expect(try a.ask(ReloadRequest()).changed == ["parted LIGHTS"])
            let start = "talk key 'kb' speaks on channel Stage, which this node has not joined"
            #expect(try a.ask(PartRequest(channel: "stage")).warnings?.first?.hasPrefix(start) == true)
            try a.stop()
        }
        try await a.ended()
    }

    @Test("a person on a channel with a code is told of a talk key that speaks on the open one of that name")
    func keyOnOpenTwin() async throws {
        let bench = try NodeBench()
        let file = try bench.write(Self.keyOnStage, to: "crew.toml")
        let a = try await bench.start("a", [.input: "null", .crew: file, .role: "desk"])
        try await NodeBench.onThread {
            let warning = "talk key 'kb' speaks on the open channel stage, and not on code:stage"
            let coded = try a.ask(JoinRequest(channel: "code:stage", code: "kite oven lamp zero"))
            #expect(coded.warnings?.first == warning)
            let silent = try a.ask(JoinRequest(channel: "stage", manner: .listenOnly))
            #expect(silent.warnings?.contains(warning) == false, "it is silent on the open one")
            #expect(try a.ask(PartRequest(channel: "stage")).warnings == [warning])
            #expect(try a.ask(PartRequest(channel: "code:stage")).warnings?.contains(warning) != true)
            try a.stop()
        }
        try await a.ended()
    }

    @Test("a joined channel stays in the list without an entry in the directory, and goes when it is parted")
    func withoutEntry() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null"])
        try await NodeBench.onThread {
            try a.ask(JoinRequest(channel: "lights"))
            // A node changes a channel once in two seconds.
            try a.awaitStatus("deleted") { _ in (try? a.ask(ChannelDeleteRequest(name: "lights"))) != nil }
            let lights = try a.ask(ChannelsRequest()).channel("lights")
            #expect(lights?.joined == true && lights?.creator == nil, "joined, though it is not in the directory")
            let main = try a.ask(ChannelsRequest()).channel("main")
            #expect(lights?.deleted == true && main?.deleted == false)
            #expect(try a.ask(StatusRequest()).node.channels == ["main", "lights"])
            try a.ask(ChannelHideRequest(name: "lights", hidden: true))
            try a.ask(PartRequest(channel: "lights"))
            #expect(try a.ask(ChannelsRequest()).channel("lights") == nil)
            try a.ask(ChannelHideRequest(name: "lights", hidden: false))
            for hidden in [true, false] {
                let refusal = #expect(throws: ControlClientError.self) {
                    try a.ask(ChannelHideRequest(name: "lights", hidden: hidden))
                }
                #expect(
                    refusal.map { "\($0)" }?.contains("there is no channel of that name") == true, "nobody knows it")
            }
            let refusal = #expect(throws: ControlClientError.self) { try a.ask(PartRequest(channel: "lights")) }
            #expect(refusal.map { "\($0)" }?.contains("this node is not on channel lights;") == true)
            try a.stop()
        }
        try await a.ended()
    }

    @Test(
        "a name that is no channel name is refused in words, and so is a fifteenth channel; nothing changes",
        arguments: ["", " ", "a\u{202E}b", "\u{301}\u{301}", String(repeating: "x", count: 10_000)])
    func refused(name: String) async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null"])
        try await NodeBench.onThread {
            #expect(throws: ControlClientError.self) { try a.ask(JoinRequest(channel: name)) }
            #expect(throws: ControlClientError.self) { try a.ask(PartRequest(channel: name)) }
            #expect(throws: ControlClientError.self) { try a.ask(LevelRequest(channel: "stage", levelDb: 0)) }
            #expect(throws: ControlClientError.self) { try a.ask(LevelRequest(channel: "main", levelDb: 12.5)) }
            for number in 2...14 { try a.ask(JoinRequest(channel: "channel \(number)")) }
            #expect(throws: ControlClientError.self) { try a.ask(JoinRequest(channel: "one more")) }
            #expect(try a.ask(ChannelsRequest()).joined.count == 14)
            try a.stop()
        }
        try await a.ended()
    }
}

extension EventDocument {
    /// The channels that the event names, sorted.
    fileprivate var channels: [String] {
        details["channels"].map { $0.split(separator: "\n").map(String.init).sorted() } ?? []
    }
}

extension ChannelsDocument {
    /// The names of the joined channels, in the order of the list.
    fileprivate var joined: [String] { channels.filter(\.joined).map(\.name) }

    /// The talk keys that speak on each joined channel, in the same order.
    fileprivate var joinedTalkKeys: [[String]] { channels.filter(\.joined).map(\.talkKeys) }

    /// The channel of this name, however its letters are written.
    fileprivate func channel(_ name: String) -> Channel? { channels.first { $0.name.lowercased() == name } }
}
