import Channels
import ControlPlane
import FileAudio
import Foundation
import NodeRuntime
import Primitives
import TestKit
import Testing

/// Whole nodes with a loudspeaker beside the headset, and with programme. Most of the time they record the sound that
/// is measured, so the tests run at once.
@Suite("mixes of a whole node", .timeLimit(.minutes(1)))
struct SecondOutputTests {
    /// The coder changes the level of a pure tone by up to 0.8 dB, which differs from run to run.
    private static let coderDecibels = 1.0

    @Test("each output has its channels, at its level, and the second one changes its device while it runs")
    func second() async throws {
        let bench = try NodeBench()
        let folder = "\(temporaryFolder)/partyline-test-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let b = try await bench.start(
            "b",
            [
                .input: "null", .channel: "main", .loudness: "off", .output2: "file:\(folder)/one.wav",
                .output2Channel: "stage", .output2Level: "-6",
            ])
        let a = try await bench.start("a", [.input: "tone:440", .talk: "open", .channel: "main"], peer: b)
        let c = try await bench.start("c", [.input: "tone:1000", .talk: "open", .channel: "stage"], peer: b)
        try await NodeBench.onThread {
            try b.ask(JoinRequest(channel: "stage"))
            try b.awaitStatus("both are heard") { status in
                status.peers.filter { -40 < $0.levelDbfs ?? -100 }.count == 2 && status.audio.output2 != nil
            }
            Thread.sleep(forTimeInterval: 1)
            try b.ask(DeviceSetRequest(side: .output2, device: "file:\(folder)/two.wav"))
            let toOneFile = DeviceSetRequest(side: .output, device: "file:\(folder)/./two.wav")
            #expect(try b.refusal(of: toOneFile)?.contains("is the other output already") == true)
            #expect(throws: ControlClientError.self, "there is one output") {
                try a.ask(DeviceSetRequest(side: .output2, device: "null"))
            }
            Thread.sleep(forTimeInterval: 1)
            let status = try b.ask(StatusRequest())
            #expect(status.audio.output2 == "file:\(folder)/two.wav" && status.audio.state == "running")
            for node in [a, b, c] { try node.stop() }
        }
        for node in [a, b, c] { try await node.ended() }
        let first = try bench.heard(by: "b")
        // A tone has -12 dBFS.
        #expect([440, 1_000].allSatisfy { abs(first.level(of: $0) + 12) < Self.coderDecibels })
        for name in ["one", "two"] {
            let second = HeardSound(try WaveFile.load("\(folder)/\(name).wav").samples)
            #expect(abs(second.level(of: 1_000) + 18) < Self.coderDecibels, "\(second.level(of: 1_000)) dBFS")
            #expect(second.level(of: 440, whereLoud: 1_000) < -60)
        }
    }

    @Test("a second output plays its channel also at a start after the renaming of that channel")
    func renamed() async throws {
        let bench = try NodeBench()
        let file = "\(temporaryFolder)/partyline-test-\(UUID().uuidString.prefix(8)).wav"
        defer { try? FileManager.default.removeItem(atPath: file) }
        var settings: [RunKey: String] = [
            .input: "null", .channel: "stage", .loudness: "off", .output2: "null", .output2Channel: "stage",
        ]
        let first = try await bench.start("b", settings)
        try await NodeBench.onThread {
            // The channel gets its entry after some seconds.
            try first.awaitStatus("renamed") { _ in
                (try? first.ask(ChannelRenameRequest(name: "stage", newName: "rig"))) != nil
            }
            try first.stop()
        }
        try await first.ended()
        settings[.output2] = "file:\(file)"
        let b = try await bench.start("b", settings)
        let a = try await bench.start("a", [.input: "tone:440", .talk: "open", .channel: "rig"], peer: b)
        try await NodeBench.onThread {
            try b.awaitStatus("a is heard") { $0.peers.contains { -40 < $0.levelDbfs ?? -100 } }
            Thread.sleep(forTimeInterval: 1)
            for node in [a, b] { try node.stop() }
        }
        for node in [a, b] { try await node.ended() }
        let heard = HeardSound(try WaveFile.load(file).samples)
        #expect(abs(heard.level(of: 440) + 12) < Self.coderDecibels, "\(heard.level(of: 440)) dBFS")
    }

    @Test("a channel that the second output loses is a warning; the status has the channels of that output")
    func unplayed() async throws {
        let bench = try NodeBench()
        @Sendable func write(_ channels: String) throws -> String {
            try bench.write(
                """
                [[channel]]
                name = "stage"
                [[channel]]
                name = "lights"
                [role.desk]
                output2 = "null"
                output2-channel = ["stage", "lights"]
                channels = [\(channels)]
                """, to: "crew.toml")
        }
        let file = try write("\"stage\", \"lights\"")
        let a = try await bench.start("a", [.input: "null", .crew: file, .role: "desk"])
        try await NodeBench.onThread {
            #expect(try a.ask(StatusRequest()).audio.output2Channels == ["stage", "lights"])
            _ = try write("\"stage\"")
            let changed = try a.ask(ReloadRequest()).changed
            #expect(changed.count == 2 && changed.first == "parted lights")
            #expect(changed.last?.hasPrefix("attention: 'output2-channel' names channel lights, ") == true)
            #expect(try a.ask(ReloadRequest()) == ReloadDocument(), "told once")
            let warnings = try a.ask(PartRequest(channel: "stage")).warnings ?? []
            let start = "'output2-channel' names channel stage, to which this node does not listen, "
            #expect(warnings.contains { $0.hasPrefix(start) })
            try a.stop()
        }
        try await a.ended()
    }

    @Test("a start warns of a mistyped channel of the second output")
    func mistyped() async {
        let child = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            try await SecondOutputTests.startMistyped()
        }
        let errors = String(decoding: child?.standardErrorContent ?? [], as: UTF8.self)
        #expect(errors.contains("names channel stgae, which is not known here (did you mean 'stage'?)"))
    }

    /// Runs a node that logs its warnings, and whose second output has a channel that is mistyped.
    private static func startMistyped() async throws {
        let bench = try NodeBench()
        let a = try await bench.start(
            "a",
            [
                .input: "null", .channel: "stage", .output2: "null", .output2Channel: "stgae", .logLevel: "warning",
            ])
        try await NodeBench.onThread { try a.stop() }
        try await a.ended()
    }

    @Test("programme is 14 dB lower while somebody talks on another channel, and as before after that")
    func programme() async throws {
        let bench = try NodeBench()
        let settings: [RunKey: String] = [
            .input: "null", .channel: "main", .programme: "tone:1000", .programmeChannel: "music", .gate: "true",
        ]
        let b = try await bench.start("b", settings)
        let address = try await NodeBench.onThread { try b.address() }
        let music = try await bench.startProgramme(of: "b", settings, beside: address)
        let a = try await bench.start("a", [.input: "tone:440", .channel: "main", .peer: address])
        try await NodeBench.onThread {
            #expect(throws: ControlClientError.self, "a dim without programme") {
                try b.ask(JoinRequest(channel: "music", dimDb: 14))
            }
            let warnings = try b.ask(JoinRequest(channel: "music", programme: true)).warnings ?? []
            #expect(warnings.allSatisfy { !$0.hasPrefix("no talk key speaks") }, "programme needs no key")
            let channel = try b.ask(ChannelsRequest()).channels.first { $0.name == "music" }
            #expect(channel?.programmeDimDb == 14)
            let feed = try music.ask(ChannelsRequest()).channels.filter(\.joined)
            #expect(feed.map(\.name) == ["music"] && feed.allSatisfy { !$0.listens && $0.talks })
            #expect(try music.ask(StatusRequest()).node.name == "music")
            try b.awaitStatus("programme is heard") { $0.peers.contains { -40 < $0.levelDbfs ?? -100 } }
            Thread.sleep(forTimeInterval: 1.5)
            try a.talk(.on)
            Thread.sleep(forTimeInterval: 1)
            try a.talk(.off)
            Thread.sleep(forTimeInterval: 1.2)
            for node in [a, b, music] { try node.stop() }
        }
        for node in [a, b, music] { try await node.ended() }
        let heard = try bench.heard(by: "b")
        let (alone, under) = (heard.level(of: 1_000), heard.level(of: 1_000, whereLoud: 440))
        // The tone has -12 dBFS, and keeps it.
        #expect(abs(alone + 12) < Self.coderDecibels, "\(alone) dBFS alone")
        #expect(abs(under - alone + 14) < Self.coderDecibels, "\(under) dBFS under talk")
        let after = heard.end.level(of: 1_000)
        #expect(abs(after - alone) < Self.coderDecibels, "\(after) dBFS after talk")
    }

    @Test("talk and calls to all leave out a node that feeds programme, and no person; private talk names it")
    func programmeIsNobody() async throws {
        let bench = try NodeBench()
        let settings: [RunKey: String] = [.input: "null", .programme: "null", .programmeChannel: "music"]
        let b = try await bench.start("b", settings)
        let address = try await NodeBench.onThread { try b.address() }
        let music = try await bench.startProgramme(of: "b", settings, beside: address)
        let crew = try bench.write(
            """
            [[channel]]
            name = "stage"
            [role.desk]
            channels = ["stage"]
            [[role.desk.key]]
            name = "everybody"
            all = true
            """, to: "crew.toml")
        let a = try await bench.start("a", [.input: "null", .crew: crew, .role: "desk", .peer: address])
        // A person who only talks and grants nothing differs from the node that feeds programme by the record alone.
        var only = try bench.options(
            of: "c",
            [
                .input: "null", .channel: "stage", .peer: address, .grantPrivate: "nobody", .grantAll: "nobody",
                .grantCallAll: "nobody", .grantCloseMicrophone: "nobody",
            ])
        only.channels[0].manner = .talkOnly
        let c = try await NodeUnderTest(only)
        try await NodeBench.onThread {
            try a.awaitStatus("all are linked") { $0.mesh.linksUp == 3 }
            try a.ask(PrivateRequest(peer: "music", isDown: true))
            try a.awaitStatus("private talk is refused by name") { _ in
                (try? a.ask(KeysRequest()))?.keys.last?.refusedBy == ["music"]
            }
            try a.awaitStatus("talk to all is refused by the person") { _ in
                (try? a.ask(KeysRequest()))?.keys.first?.refusedBy == ["c"]
            }
            #expect(try a.ask(KeysRequest()).keys.first?.reaches == ["b"])
            let call = try a.ask(CallMakeRequest(all: true)).outgoing.last
            #expect(call?.receivers.map(\.name).sorted() == ["b", "c"])
            #expect(try a.ask(StatusRequest()).peers.contains { $0.name == "music" }, "it is listed")
            for node in [a, b, c, music] { try node.stop() }
        }
        for node in [a, b, c, music] { try await node.ended() }
    }

    @Test("a lost source of the programme is in the health of the node that a person asks")
    func lostSource() async throws {
        let bench = try NodeBench()
        let settings: [RunKey: String] = [
            .input: "null", .programme: "file:/proc/none.wav", .programmeChannel: "music",
        ]
        let b = try await bench.start("b", settings)
        let address = try await NodeBench.onThread { try b.address() }
        let music = try await bench.startProgramme(of: "b", settings, beside: address)
        b.watchProgramme(of: music)
        try await NodeBench.onThread {
            let status = try b.awaitStatus("the source is lost") { status in
                status.health.contains {
                    $0.hasPrefix("programme: input file:/proc/none.wav: ") && $0.hasSuffix("; trying again")
                }
            }
            #expect(status.isDegraded)
            for node in [b, music] { try node.stop() }
        }
        for node in [b, music] { try await node.ended() }
    }

    @Test("the end of a sound file, as input and as programme, is a warning in the status, and no fault in the health")
    func atItsEnd() async throws {
        let bench = try NodeBench()
        let file = "\(temporaryFolder)/partyline-test-\(UUID().uuidString.prefix(8)).wav"
        defer { try? FileManager.default.removeItem(atPath: file) }
        // It names the instant at which it began, and is over long since.
        let writer = try WaveWriter(path: file, startsAt: .zero)
        writer.place([Float](repeating: 0, count: 4_800), count: 4_800, stride: 1, at: 0)
        writer.finish()
        let settings: [RunKey: String] = [
            .input: "file:\(file)", .programme: "file:\(file)", .programmeChannel: "music",
        ]
        let b = try await bench.start("b", settings)
        let address = try await NodeBench.onThread { try b.address() }
        let music = try await bench.startProgramme(of: "b", settings, beside: address)
        b.watchProgramme(of: music)
        try await NodeBench.onThread {
            let notes = ["input", "programme"].map { "\($0) file:\(file) is at its end, and silence follows" }
            let status = try b.awaitStatus("both are told") { status in
                notes.allSatisfy { status.node.warnings.contains($0) }
            }
            #expect(status.health.allSatisfy { !$0.contains("is at its end") })
            for node in [b, music] { try node.stop() }
        }
        for node in [b, music] { try await node.ended() }
    }
}
