import ControlPlane
import Foundation
import NodeRuntime
import TestKit
import Testing

/// Whole nodes that read their files again.
@Suite("reloads of running nodes", .serialized, .timeLimit(.minutes(1)))
struct ReloadTests {
    /// A crew file with one role.
    private static func crew(_ role: String) -> String {
        ["stage", "lights", "fly"].map { "[[channel]]\nname = \"\($0)\"\n" }.joined() + "[role.desk]\n" + role
    }

    /// A crew file with a role on the channel `stage` that has these talk keys after the key `main`.
    private static func desk(_ keys: String = "") -> String {
        crew("channels = [\"stage\"]\n[[role.desk.key]]\nname = \"main\"\nchannels = [\"stage\"]\n" + keys)
    }

    @Test("what the file changed is applied, and what a person changed stays")
    func changes() async throws {
        let bench = try NodeBench()
        let file = try bench.write(Self.crew("nick = \"A\"\nchannels = [\"stage\", \"lights\"]"), to: "crew.toml")
        let a = try await bench.start("a", [.input: "null", .crew: file, .role: "desk"])
        try await NodeBench.onThread {
            #expect(try a.ask(ReloadRequest()) == ReloadDocument(), "unchanged files change nothing")
            try a.ask(LevelRequest(channel: "lights", levelDb: -12))
            try a.ask(JoinRequest(channel: "own"))
            let role = "nick = \"B\"\nperiod = 5\nchannels = [{ name = \"lights\", ear = \"left\" }, \"fly\"]"
            _ = try bench.write(Self.crew(role), to: "crew.toml")
            let done = try a.ask(ReloadRequest())
            let change = "changed lights: both ears → left ear"
            #expect(done.changed == ["parted stage", "joined fly", change, "changed the setting 'nick': A → B"])
            #expect(done.needsRestart == ["period"] && done.mistakes.isEmpty && done.refused.isEmpty)
            let note = "changed in the files, in effect after a restart: period"
            let status = try a.ask(StatusRequest())
            #expect(status.health.contains(note) && status.node.reload == [note])
            let channels = try a.ask(ChannelsRequest()).channels
            #expect(channels.filter(\.joined).map(\.name).sorted() == ["fly", "lights", "own"])
            let lights = channels.first { $0.name == "lights" }
            #expect(lights?.levelDb == -12 && lights?.ear == "left", "the file said nothing of the level")
            #expect(try a.ask(StatusRequest()).node.name == "B")
            #expect(try a.ask(ReloadRequest()).needsRestart == ["period"], "still")
            try a.stop()
        }
        try await a.ended()
    }

    @Test("a reload names each setting that it changes, with the values before and after")
    func values() async throws {
        let bench = try NodeBench()
        let file = try bench.write(Self.crew("nick = \"A\""), to: "crew.toml")
        let a = try await bench.start("a", [.input: "null", .crew: file, .role: "desk"])
        try await NodeBench.onThread {
            try a.ask(IntroduceRequest(ProfileWords(nick: "Ann")))
            let role =
                "nick = \"B\"\ncolour = \"#112233\"\nbeep-on-loss = true\ntones = \"talk\"\n"
                + "admission = \"known\"\ngrant-all = [\"desk\"]\ngrant-priority = \"anyone\""
            _ = try bench.write(Self.crew(role), to: "crew.toml")
            let done = try a.ask(ReloadRequest())
            let changes = [
                "'nick': Ann → B", "'colour': none → #112233", "'beep-on-loss': false → true",
                "'tones': call,urgent → talk", "'admission': open → known", "'grant-all': anyone → desk",
                "'grant-priority': nobody → anyone",
            ]
            #expect(done.changed == changes.map { "changed the setting \($0)" }, "from what the node had")
            try a.stop()
        }
        try await a.ended()
    }

    @Test("after a reload with another role, a name that a person chooses outlives the next reload")
    func nickAfterRole() async throws {
        let bench = try NodeBench()
        let crew = try bench.write("[role.fly]\n[role.lights]", to: "crew.toml")
        let home = URL(fileURLWithPath: crew).deletingLastPathComponent()
        let folder = home.appending(path: ".config/partyline").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        @Sendable func choose(_ role: String) throws {
            _ = try bench.write("crew = \"\(crew)\"\nrole = \"\(role)\"", to: ".config/partyline/config.toml")
        }
        try choose("fly")
        let a = try await bench.start("a", [.input: "null"])
        try await NodeBench.onThread {
            try choose("lights")
            let changed = try a.ask(ReloadRequest()).changed
            #expect(changed == ["nick", "role"].map { "changed the setting '\($0)': fly → lights" })
            #expect(try a.ask(StatusRequest()).node.name == "lights")
            try a.ask(IntroduceRequest(ProfileWords(nick: "Ann")))
            #expect(try a.ask(ReloadRequest()) == ReloadDocument())
            #expect(try a.ask(StatusRequest()).node.name == "Ann")
            try a.stop()
        }
        try await a.ended()
    }

    @Test("a channel that a person parted stays parted, until the file names it anew")
    func parted() async throws {
        let bench = try NodeBench()
        let file = try bench.write(Self.crew("channels = [\"stage\", \"fly\"]"), to: "crew.toml")
        let a = try await bench.start("a", [.input: "null", .crew: file, .role: "desk"])
        try await NodeBench.onThread {
            try a.ask(PartRequest(channel: "fly"))
            let louder = "channels = [\"stage\", { name = \"fly\", level = 3 }]"
            _ = try bench.write(Self.crew(louder), to: "crew.toml")
            #expect(try a.ask(ReloadRequest()) == ReloadDocument())
            _ = try bench.write(Self.crew("channels = [\"stage\"]"), to: "crew.toml")
            #expect(try a.ask(ReloadRequest()) == ReloadDocument())
            _ = try bench.write(Self.crew(louder), to: "crew.toml")
            #expect(try a.ask(ReloadRequest()).changed == ["joined fly"])
            try a.stop()
        }
        try await a.ended()
    }

    @Test("a channel that leaves the file and comes back keeps the code that a person typed, until the person parts it")
    func partedWithCode() async throws {
        let bench = try NodeBench()
        let channels = ["stage", "code:lights"].map { "[[channel]]\nname = \"\($0)\"\n" }.joined()
        @Sendable func write(_ list: String) throws -> String {
            try bench.write(channels + "[role.desk]\nchannels = [\(list)]", to: "crew.toml")
        }
        let (one, both) = ("\"stage\"", "\"stage\", \"code:lights\"")
        let a = try await bench.start("a", [.input: "null", .crew: try write(one), .role: "desk"])
        try await NodeBench.onThread {
            try a.ask(JoinRequest(channel: "code:lights", code: "kite oven lamp zero"))
            for word in ["already on", "joined"] {
                _ = try write(both)
                #expect(try a.ask(ReloadRequest()).changed == ["\(word) code:lights"])
                _ = try write(one)
                #expect(try a.ask(ReloadRequest()).changed == ["parted code:lights"])
            }
            try a.ask(PartRequest(channel: "code:lights"))
            _ = try write(both)
            #expect(try a.ask(ReloadRequest()).refused.first?.contains("needs its code") == true)
            try a.stop()
        }
        try await a.ended()
    }

    @Test("a file with mistakes changes nothing, and each of them comes back")
    func mistakes() async throws {
        let bench = try NodeBench()
        let file = try bench.write(Self.crew("channels = [\"stage\"]"), to: "crew.toml")
        let a = try await bench.start("a", [.input: "null", .crew: file, .role: "desk"])
        try await NodeBench.onThread {
            _ = try bench.write(
                Self.crew("nick = \"B\"\nchannels = [\"fly\", \"stgae\"]\ntlak = \"ptt\""), to: "crew.toml")
            let refused = try a.ask(ReloadRequest())
            #expect(refused.mistakes.count == 2 && refused.changed.isEmpty)
            func notes() throws -> [String] {
                try a.ask(StatusRequest()).health.filter { $0.hasPrefix("the last reload has changed nothing: ") }
            }
            #expect(try notes().count == 1 && (try notes().first?.hasSuffix("(and 1 more)")) == true)
            #expect(
                refused.mistakes.first?.hasSuffix(
                    "crew.toml:9: no [[channel]] has the name 'stgae' (did you mean 'stage'?)") == true)
            #expect(try a.ask(ChannelsRequest()).channels.filter(\.joined).map(\.name) == ["stage"])
            #expect(try a.ask(StatusRequest()).node.name == "desk")
            _ = try bench.write(Self.crew("channels = [\"stage\"]").replacing("desk", with: "fly"), to: "crew.toml")
            #expect(try a.ask(ReloadRequest()).mistakes.first?.contains("no role 'desk'") == true)
            _ = try bench.write(Self.crew("channels = [\"stage\"]"), to: "crew.toml")
            #expect(try a.ask(ReloadRequest()) == ReloadDocument())
            #expect(try notes().isEmpty, "the note stays until the next good reload")
            try a.stop()
        }
        try await a.ended()
    }

    @Test("a channel beyond the most is refused, and the next reload tries it again")
    func full() async throws {
        let bench = try NodeBench()
        let file = try bench.write(Self.crew("channels = [\"stage\"]"), to: "crew.toml")
        let a = try await bench.start("a", [.input: "null", .crew: file, .role: "desk"])
        try await NodeBench.onThread {
            for number in 2...14 { try a.ask(JoinRequest(channel: "own \(number)")) }
            _ = try bench.write(Self.crew("channels = [\"stage\", \"fly\"]"), to: "crew.toml")
            let refused = try a.ask(ReloadRequest())
            #expect(refused.changed.isEmpty && refused.refused.count == 1)
            #expect(refused.refused.first?.hasPrefix("joined fly: a node listens to 14 channels") == true)
            #expect(try a.ask(StatusRequest()).node.channelsNotJoined == ["fly"])
            try a.ask(PartRequest(channel: "own 2"))
            #expect(try a.ask(ReloadRequest()).changed == ["joined fly"])
            #expect(try a.ask(StatusRequest()).node.channelsNotJoined == nil)
            try a.stop()
        }
        try await a.ended()
    }

    @Test("a channel that a reload could not join is no trouble any more once a person has joined it")
    func refusedAndJoined() async throws {
        let bench = try NodeBench()
        let file = try bench.write(Self.crew("channels = [\"stage\"]"), to: "crew.toml")
        let a = try await bench.start("a", [.input: "null", .crew: file, .role: "desk"])
        try await NodeBench.onThread {
            @Sendable func notes() throws -> [String] {
                let status = try a.ask(StatusRequest())
                return (status.node.warnings + status.health).filter { $0.contains("joined fly") }
            }
            for number in 2...14 { try a.ask(JoinRequest(channel: "own \(number)")) }
            _ = try bench.write(Self.crew("channels = [\"stage\", \"fly\"]"), to: "crew.toml")
            try a.ask(ReloadRequest())
            #expect(try notes().count == 2, "in the warnings, and in the health")
            try a.ask(PartRequest(channel: "own 2"))
            #expect(try notes().count == 2)
            try a.ask(JoinRequest(channel: "fly"))
            #expect(try notes() == [])
            try a.stop()
        }
        try await a.ended()
    }

    @Test("talk keys get other targets and new keys while the node runs")
    func keys() async throws {
        let bench = try NodeBench()
        @Sendable func role(_ keys: String) -> String { Self.crew("channels = [\"stage\", \"fly\"]\n" + keys) }
        let stage = "[[role.desk.key]]\nname = \"main\"\nchannels = [\"stage\"]\n"
        let file = try bench.write(role(stage), to: "crew.toml")
        let a = try await bench.start("a", [.input: "null", .crew: file, .role: "desk"])
        try await NodeBench.onThread {
            try a.talk(.on)
            let more = stage.replacing("[\"stage\"]", with: "[\"stage\", \"fly\"]")
            _ = try bench.write(role(more + "[[role.desk.key]]\nname = \"answer\"\nreply = true"), to: "crew.toml")
            #expect(try a.ask(ReloadRequest()).changed == ["changed the talk keys (main, answer)"])
            let keys = try a.ask(KeysRequest()).keys
            #expect(keys.map(\.name) == ["main", "answer"] && keys.map(\.down) == [true, false])
            #expect(keys.first?.channels.map(\.name).sorted() == ["fly", "stage"])
            _ = try bench.write(role(stage.replacing("main", with: "other")), to: "crew.toml")
            for _ in 1...2 {
                #expect(try a.ask(ReloadRequest()).needsRestart == ["key (fewer tables)"], "still")
            }
            #expect(try a.ask(KeysRequest()).keys.map(\.name) == ["main", "answer"])
            try a.stop()
        }
        try await a.ended()
    }

    @Test("a new key takes the place of a key that was made for private talk, unless that is in use")
    func keysAfterPrivateTalk() async throws {
        let bench = try NodeBench()
        let file = try bench.write(Self.desk(), to: "crew.toml")
        let a = try await bench.start("a", [.input: "null", .crew: file, .role: "desk"])
        let b = try await bench.start("b", [.input: "null", .channel: "stage"], peer: a)
        try await NodeBench.onThread {
            try a.awaitStatus("linked") { $0.mesh.linksUp == 1 }
            try a.ask(PrivateRequest(peer: "b", isDown: true))
            let more = "[[role.desk.key]]\nname = \"answer\"\nreply = true\nmode = \"latch\""
            _ = try bench.write(Self.desk(more), to: "crew.toml")
            let refused = try a.ask(ReloadRequest())
            #expect(refused.changed.isEmpty)
            #expect(
                refused.refused == ["changed the talk keys (answer): key '@b' is in use; reload again when it is up"])
            try a.ask(PrivateRequest(peer: "b", isDown: false))
            try a.awaitStatus("the key is not in use") { _ in
                (try? a.ask(ReloadRequest()))?.changed == ["changed the talk keys (answer)"]
            }
            let keys = try a.ask(KeysRequest()).keys
            #expect(keys.map(\.name) == ["main", "answer"] && keys.map(\.mode) == ["ptt", "latch"])
            #expect(try a.ask(PrivateRequest(peer: "b", isDown: true)).unheard == nil)
            #expect(try a.ask(KeysRequest()).keys.map(\.name) == ["main", "answer", "@b"], "made again")
            for node in [a, b] { try node.stop() }
        }
        for node in [a, b] { try await node.ended() }
    }

    @Test("a new key that is open talks at once")
    func newOpenKey() async throws {
        let bench = try NodeBench()
        let file = try bench.write(Self.desk(), to: "crew.toml")
        let a = try await bench.start("a", [.input: "null", .crew: file, .role: "desk"])
        let b = try await bench.start("b", [.input: "null", .channel: "stage"], peer: a)
        try await NodeBench.onThread {
            try b.awaitStatus("linked") { $0.mesh.linksUp == 1 }
            let more = "[[role.desk.key]]\nname = \"ears\"\nchannels = [\"stage\"]\nmode = \"open\""
            _ = try bench.write(Self.desk(more), to: "crew.toml")
            #expect(try a.ask(ReloadRequest()).changed == ["changed the talk keys (ears)"])
            #expect(try a.ask(KeysRequest()).keys.map(\.down) == [false, true])
            try b.awaitStatus("a talks") { $0.peers.contains { $0.talking } }
            for node in [a, b] { try node.stop() }
        }
        for node in [a, b] { try await node.ended() }
    }

    @Test("a mode that needs a restart is not in force before: a new key without a mode gets the mode of the start")
    func modeOfNewKeys() async throws {
        let bench = try NodeBench()
        @Sendable func role(_ talk: String, _ keys: String) -> String {
            Self.crew("channels = [\"stage\"]\ntalk = \"\(talk)\"\n" + keys)
        }
        let first = "[[role.desk.key]]\nname = \"main\"\nchannels = [\"stage\"]\n"
        let file = try bench.write(role("ptt", first), to: "crew.toml")
        let a = try await bench.start("a", [.input: "null", .crew: file, .role: "desk"])
        try await NodeBench.onThread {
            _ = try bench.write(role("vox", first), to: "crew.toml")
            for _ in 1...2 { #expect(try a.ask(ReloadRequest()) == ReloadDocument(needsRestart: ["talk"]), "still") }
            _ = try bench.write(
                role("vox", first + "[[role.desk.key]]\nname = \"answer\"\nreply = true"), to: "crew.toml")
            let done = try a.ask(ReloadRequest())
            #expect(done.changed == ["changed the talk keys (answer)"] && done.needsRestart == ["talk"])
            #expect(try a.ask(KeysRequest()).keys.map(\.mode) == ["ptt", "ptt"])
            try a.stop()
        }
        try await a.ended()
    }

    @Test("talk keys get other modes while the node runs; a key that is pressed gets its mode when it is up")
    func modes() async throws {
        let bench = try NodeBench()
        @Sendable func role(_ talk: String, _ mode: String) -> String {
            Self.crew("channels = [\"stage\"]\ntalk = \"\(talk)\"\n")
                + "[[role.desk.key]]\nname = \"main\"\nchannels = [\"stage\"]\n"
                + "[[role.desk.key]]\nname = \"side\"\nchannels = [\"stage\"]\nmode = \"\(mode)\"\n"
        }
        let file = try bench.write(role("ptt", "latch"), to: "crew.toml")
        let a = try await bench.start("a", [.input: "null", .crew: file, .role: "desk"])
        try await NodeBench.onThread {
            @Sendable func shown() throws -> [String] {
                try a.ask(KeysRequest()).keys.map { "\($0.name) \($0.mode) \($0.down)" }
            }
            try a.ask(TalkRequest(.press, key: "main"))
            _ = try bench.write(role("latch", "smart"), to: "crew.toml")
            let done = try a.ask(ReloadRequest())
            #expect(
                done.changed == [
                    "changed the talk keys (side)", "changed the setting 'talk': ptt → latch",
                    "key 'main' gets mode latch when it is up",
                ]
                    && done.needsRestart.isEmpty)
            #expect(try shown() == ["main ptt true", "side smart false"])
            try a.ask(TalkRequest(.release, key: "main"))
            #expect(try shown() == ["main latch false", "side smart false"])
            for order in [TalkOrder.press, .release] { try a.ask(TalkRequest(order, key: "main")) }
            #expect(try shown() == ["main latch true", "side smart false"])
            #expect(try a.ask(ReloadRequest()) == ReloadDocument())
            _ = try bench.write(role("latch", "open"), to: "crew.toml")
            #expect(try a.ask(ReloadRequest()).changed == ["changed the talk keys (side)"])
            #expect(try shown() == ["main latch true", "side open true"])
            try a.stop()
        }
        try await a.ended()
    }

    @Test("a reload and a start warn of a key that speaks on a channel which the node has not joined")
    func unjoined() async throws {
        let bench = try NodeBench()
        @Sendable func role(_ channels: String) -> String {
            let key = "[[role.desk.key]]\nname = \"main\"\nchannels = [\"stage\", \"fly\"]\n"
            return Self.crew("channels = \(channels)\n" + key)
        }
        let file = try bench.write(role("[\"stage\", \"fly\"]"), to: "crew.toml")
        let a = try await bench.start("a", [.input: "null", .crew: file, .role: "desk"])
        try await NodeBench.onThread {
            _ = try bench.write(role("[\"stage\"]"), to: "crew.toml")
            let changed = try a.ask(ReloadRequest()).changed
            #expect(changed.first == "parted fly" && changed.count == 2)
            #expect(changed.last?.hasPrefix("attention: talk key 'main' speaks on channel fly, which ") == true)
            #expect(try a.ask(ReloadRequest()) == ReloadDocument(), "told once")
            try a.stop()
        }
        try await a.ended()
    }

    @Test("200 reloads of talker and listener under speech leave no gap in what is heard")
    func underSpeech() async throws {
        let bench = try NodeBench()
        let roles = ["channels = [\"stage\"]", "channels = [\"stage\", { name = \"fly\", level = -6 }]"]
        let file = try bench.write(Self.crew(roles[0]), to: "crew.toml")
        let common: [RunKey: String] = [.crew: file, .role: "desk"]
        let a = try await bench.start("a", common.merging([.input: "tone:440", .talk: "open"]) { $1 })
        let b = try await bench.start("b", common.merging([.input: "null"]) { $1 }, peer: a)
        let isDisturbed = try await NodeBench.onThread {
            try b.awaitStatus("a is heard") { -40 < $0.peers.first?.levelDbfs ?? -100 }
            for round in 1...200 {
                _ = try bench.write(Self.crew(roles[round % 2]), to: "crew.toml")
                for node in [a, b] {
                    #expect(try node.ask(ReloadRequest()).changed == [round % 2 == 1 ? "joined fly" : "parted fly"])
                }
            }
            let status = try b.awaitStatus("a talks on") { $0.peers.first?.talking == true }
            #expect(status.peers.first?.state == "up" && !b.events.contains("talking false"))
            // The figures are read when the sound has ended, so that they count each stall in it.
            try a.talk(.off)
            let ended = try b.awaitStatus("silence") { $0.audio.levelOutDbfs ?? 0 < -90 }
            let captured = try a.ask(StatusRequest()).audio.xrunsCapture
            for node in [b, a] { try node.stop() }
            return 0 < captured + ended.audio.xrunsPlayback || 0 < ended.peers.first?.voiceIn?.concealedMs ?? 0
        }
        for node in [a, b] { try await node.ended() }
        let heard = try bench.heard(by: "b")
        #expect(-40 < heard.level(of: 440))
        // A machine that stalls makes gaps of its own, and the nodes count them. The tone itself is that faint for one
        // sample at each of its zeros.
        #expect(isDisturbed || heard.longestGap <= 1, "silent for \(heard.longestGap) samples")
    }
}
