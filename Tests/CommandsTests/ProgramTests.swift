import Commands
import ControlPlane
import Foundation
import NodeRuntime
import Synchronization
import TestKit
import Testing

@Suite("Command line", .serialized, .timeLimit(.minutes(1)))
struct ProgramTests {
    @Test(
        "a wrong command line is 2, not the parser's 64",
        arguments: [
            ["nonsense"], ["status", "--nonsense"], ["talk", "loudly"], ["talk", "off", "--for", "3"],
            ["talk", "--for", "0"], ["mute"], ["volume", "SM"], ["volume", "SM", "loud"], ["volume", "SM", "21"],
            ["volume", "SM", "1", "2"], ["volume", "SM", "--"], ["volume", "SM", "--", "--", "-6"],
            ["volume", "SM", "-6", "--", "-6"], ["volume", "SM", "-6dB"], ["ping", "SM", "-c", "0"],
            ["completion", "csh"], ["leave"], ["leave", "--name", "x"], ["status", "--watch", "0"],
            ["status", "--watch", "--check"], ["run", "--name", "../x"], ["run", "--period", "5ms"],
            ["run", "--config", "/proc/nowhere.toml"], ["status", "--name", "a/b"],
            ["pan", "SM"], ["pan", "SM", "101"], ["pan", "SM", "left"], ["pan", "SM", "--", "-101"],
            ["priority", "SM", "maybe"], ["dim", "61"], ["dim", "-5"], ["dim", "1", "2"],
            ["private", "SM", "--seconds", "-3"], ["talk", "--for", "-3"], ["call", "SM", "--wait", "-1"],
            ["replay", "0"], ["replay", "301"], ["advertise"], ["advertise", "maybe"],
            ["join"], ["join", "lights", "--level", "13"], ["join", "lights", "--ear", "middle"],
            ["join", "lights", "--listen-only", "--talk-only"], ["part"], ["level", "lights"],
            ["level", "lights", "-61"], ["status", "--state-dir", ""], ["status", "--control", ""],
        ])
    func usage(arguments: [String]) async {
        #expect(await Program.run(arguments) == .usage)
    }

    @Test(
        "help and completions are healthy",
        arguments: [
            ["--help"], ["--version"], ["help", "run"], ["help", "stop"], ["completion", "bash"],
            ["completion", "zsh"], ["completion", "fish"],
        ])
    func healthy(arguments: [String]) async {
        #expect(await Program.run(arguments) == .healthy)
    }

    @Test(
        "where no node runs every verb that needs one is 3",
        arguments: [
            ["status"], ["peers"], ["talk"], ["mute", "SM"], ["volume", "SM", "-6"], ["events"], ["ping", "SM"],
            ["stop"], ["peers", "block", "SM"], ["peers", "unblock", "SM"],
            ["pan", "SM", "-40"], ["pan", "SM", "auto"], ["priority", "SM"], ["dim"], ["latency", "SM"], ["stats"],
            ["record", "start"], ["record", "stop"], ["record", "status"], ["replay", "10"],
            ["discover"], ["advertise", "off"], ["channels"], ["join", "lights"], ["part", "lights"],
            ["level", "lights", "-6"], ["talk-on"],
        ])
    func noNode(arguments: [String]) async {
        #expect(await Program.run(arguments + ["--control", "/proc/none.sock"]) == .noNodeRunning)
    }

    @Test("a verb with a state folder does not reach a node of the same name that has another folder")
    func otherFolder() async throws {
        let name = "t-\(UUID().uuidString.prefix(8))"
        let folder = "/tmp/partyline-\(geteuid())-\(name.suffix(6))"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let identity = IdentityDocument(
            json: #"""
                {"schema": "partyline.id/1", "name": "x", "id": "x", "short_id": "x", "state_directory": "/x/state",
                 "guest": true, "running": true}
                """#)
        let node: ControlServer.Handler = { call in
            call.method == IdentityRequest.method.name ? .document(identity) : .document(DoneDocument())
        }
        try await withNode(at: "\(folder)/\(name).sock", node) { _ in
            #expect(await Program.run(["stop", "--name", name, "--state-dir", "/x/other"]) == .noNodeRunning)
            #expect(await Program.run(["stop", "--name", name, "--state-dir", "/x/state"]) == .healthy)
        }
    }

    @Test("--check is 4 on a degraded node and 0 on a healthy one; without it both are 0")
    func check() async throws {
        let status = Mutex(StatusTextTests.status)
        try await withNode({ _ in .document(status.withLock { $0 }) }) { path in
            #expect(await Program.run(["status", "--check", "--control", path]) == .degraded)
            #expect(await Program.run(["status", "--json", "--check", "--control", path]) == .degraded)
            #expect(await Program.run(["status", "--control", path]) == .healthy)
            status.withLock {
                $0.health = []
                $0.mesh.cliqueComplete = true
            }
            #expect(await Program.run(["status", "--check", "--control", path]) == .healthy)
        }
    }

    @Test(
        "a verb that the node refuses is 1, and 2 where a value of it is wrong",
        arguments: [
            (ControlFailure.Code.noSuchPeer, Commands.ExitStatus.failed), (.notNow, .failed),
            (.invalidParameters, .usage), (.notKept, .degraded),
        ])
    func refused(code: ControlFailure.Code, status: Commands.ExitStatus) async throws {
        try await withNode({ _ in .failed(ControlFailure(code, "no")) }) { path in
            #expect(await Program.run(["mute", "X", "--control", path]) == status)
        }
    }

    @Test(
        "a reload is 0, 1 if the node refuses a part, 2 for mistakes, and 4 if a part needs a restart or is not kept",
        arguments: [
            (ReloadDocument(changed: ["joined fly"]), Commands.ExitStatus.healthy), (ReloadDocument(), .healthy),
            (ReloadDocument(changed: ["joined fly"], needsRestart: ["listen"]), .degraded),
            (ReloadDocument(changed: ["joined fly"], notKept: "done, but not kept"), .degraded),
            (ReloadDocument(refused: ["joined fly: full"], needsRestart: ["listen"]), .failed),
            (ReloadDocument(mistakes: ["crew.toml:1: not TOML"]), .usage),
        ])
    func reload(document: ReloadDocument, status: Commands.ExitStatus) async throws {
        try await withNode({ _ in .document(document) }) { path in
            #expect(await Program.run(["reload", "--control", path]) == status)
            #expect(await Program.run(["reload", "--json", "--control", path]) == status)
        }
    }

    @Test("a crew file with a mistake is 2, and so is a role that it has not")
    func crew() async throws {
        let path = "\(temporaryFolder)/partyline-crew-\(UUID().uuidString.prefix(8)).toml"
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(await Program.run(["crew", "check", path]) == .usage, "there is no file")
        try "[role.desk]\ntalk = \"ptt\"".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(await Program.run(["crew", "check", path]) == .healthy)
        #expect(await Program.run(["crew", "show", path, "--role", "desk"]) == .healthy)
        #expect(await Program.run(["crew", "show", path, "--role", "fly"]) == .usage)
        #expect(await Program.run(["run", "--crew", path, "--role", "fly"]) == .usage)
        #expect(await Program.run(["run", "--crew", path]) == .usage, "no role is named")
        try "[role.desk]\ntalk = \"push\"".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(await Program.run(["crew", "check", path]) == .usage)
    }

    @Test("a ping that nobody answers is 1")
    func lostPing() async throws {
        let lost = PingDocument(
            json: #"{"schema": "partyline.ping/1", "peer": "x", "name": "X", "path": "direct"}"#)
        try await withNode({ _ in .document(lost) }) { path in
            #expect(await Program.run(["ping", "X", "-c", "1", "--control", path]) == .failed)
        }
    }

    @Test(
        "a verb that changes something confirms it in a line",
        arguments: [
            (["mute", "SM"], "SM is muted"), (["mute", "SM", "off"], "SM is not muted"),
            (["volume", "S\u{1B}M", "-6"], "SM is at -6.0 dB"),
            (["pan", "SM", "auto"], "SM has the place that its id gives"),
            (["priority", "SM"], "SM has priority"), (["dim"], "everything is lowered by 20.0 dB"),
            (["nick", "FOH"], "the nick is FOH now"),
            (["close-microphone", "SM"], "SM is asked to close its microphone; `partyline events` has the answer"),
            (["role", ""], "no role"), (["advertise", "off"], "the node is not advertised"),
            (["channel", "create", "fly"], "channel fly is created"),
            (["channel", "rename", "fly", "rig"], "channel fly is called rig now"),
            (["channel", "hide", "fly"], "channel fly is hidden here while this node is not on it"),
            (["device", "output", "null"], "output is null now"), (["stop"], "the node ends"),
        ] as [([String], String)])
    func confirmed(arguments: [String], line: String) async throws {
        try await withNode({ _ in .document(DoneDocument()) }) { path in
            let command = ["peers", "channel", "device"].contains(arguments[0]) ? 2 : 1
            let words = Array(arguments.prefix(command) + ["--control", path] + arguments.dropFirst(command))
            let printed = try await printedLines { #expect(await Program.run(words) == .healthy) }
            #expect(printed.contains(line), "\(printed)")
        }
    }

    @Test("nick warns of a linked peer of that name, or of one that looks like it")
    func namesake() async throws {
        let peer = try #require(StatusTextTests.status.peers.first { $0.state == "up" })
        try await withNode({ call in
            call.method == "introduce" ? .document(DoneDocument()) : .document(StatusTextTests.status)
        }) { path in
            for (nick, isTold) in [(peer.name.lowercased(), true), ("nobody else", false)] {
                let printed = try await printedLines {
                    #expect(await Program.run(["nick", "--control", path, nick]) == .healthy)
                }
                #expect(printed.contains("the nick is \(nick) now"))
                #expect(printed.contains { $0.contains("(\(peer.shortId)) has this name too") } == isTold, "\(printed)")
            }
        }
    }

    /// What a node answers to a verb that decides about a key.
    private static let key = KeyDocument(
        json: """
            {
              "schema": "partyline.key/1", "name": "FOH", "id": "ABC", "short_id": "4f2a-91c0", "trust": "met",
              "blocked": false, "kept": true
            }
            """)

    @Test(
        "a verb that decides about a key confirms it with the name and the short id of the key that is meant",
        arguments: [
            (["peers", "block", "foh"], "FOH (4f2a-91c0) is blocked"),
            (["peers", "unblock", "foh"], "FOH (4f2a-91c0) is not blocked"),
            (["trust", "foh"], "FOH (4f2a-91c0) is trusted"), (["accept", "foh"], "FOH (4f2a-91c0) is let in"),
            (["verify", "foh", "--yes"], "FOH (4f2a-91c0) is verified"),
        ] as [([String], String)])
    func confirmedByKey(arguments: [String], line: String) async throws {
        try await withNode({ _ in .document(Self.key) }) { path in
            let command = arguments[0] == "peers" ? 2 : 1
            let words = Array(arguments.prefix(command) + ["--control", path] + arguments.dropFirst(command))
            let printed = try await printedLines { #expect(await Program.run(words) == .healthy) }
            #expect(printed.contains(line), "\(printed)")
        }
    }

    @Test(
        "`trust` and `forget` of a blocked node say that it is still blocked, and how to end that",
        arguments: [("trust", "trusted"), ("forget", "forgotten")])
    func stillBlocked(verb: String, word: String) async throws {
        var key = Self.key
        key.blocked = true
        try await withNode({ [key] _ in .document(key) }) { path in
            let printed = try await printedLines {
                #expect(await Program.run([verb, "--control", path, "foh"]) == .healthy)
            }
            let line = "FOH (4f2a-91c0) is \(word), but it is still blocked here; `partyline peers unblock 4f2a-91c0`"
            #expect(printed.contains(line), "\(printed)")
        }
    }

    @Test("`verify --yes --json` prints the document, without words")
    func verifiedDocument() async throws {
        var key = Self.key
        key.trust = "verified"
        try await withNode({ [key] _ in .document(key) }) { path in
            let printed = try await printedLines {
                #expect(await Program.run(["verify", "--control", path, "foh", "--yes", "--json"]) == .healthy)
            }
            for text in [#""partyline.verify/1""#, #""4f2a-91c0""#, #""verified""#, #""FOH""#] {
                #expect(printed.contains { $0.contains(text) }, "\(printed)")
            }
            #expect(!printed.contains { $0.contains(#""words""#) || $0.contains("is verified") }, "\(printed)")
        }
    }

    @Test("join, part and talk-on confirm what the node says, and dnd without a word shows the state")
    func confirmedByDocument() async throws {
        var channels = ChannelTableTests.document
        channels.channels[0].talkKeys = ["talk"]
        let calls = CallsDocument(
            json: #"{"schema": "partyline.calls/1", "do_not_disturb": true, "incoming": [], "outgoing": []}"#)
        let expected = [
            (["join", "LIGHTS"], "joined lights: listens and talks, -6.0 dB, left ear"),
            (["part", "fly"], "parted fly"),
            (["talk-on", "lights"], "the talk key speaks on lights"),
            (["level", "lights", "-6"], "channel lights is at -6.0 dB"),
            (["dnd"], "do-not-disturb is on"),
        ]
        try await withNode({ [channels] call in
            call.method.hasPrefix("calls") ? .document(calls) : .document(channels)
        }) { path in
            for (arguments, line) in expected {
                let words = Array(arguments.prefix(1) + ["--control", path] + arguments.dropFirst(1))
                let printed = try await printedLines { #expect(await Program.run(words) == .healthy) }
                #expect(printed.contains(line), "\(printed)")
            }
        }
    }

    @Test("an answer says whose call it is, and which", arguments: [(true, "take"), (false, "decline")])
    func answered(accepted: Bool, word: String) async throws {
        let calls = CallsDocument(
            json: #"""
                {"schema": "partyline.calls/1", "do_not_disturb": false, "answered": "02", "outgoing": [], "incoming": [
                  {"id": "01", "peer": "x", "name": "LX", "target": "peer", "urgent": false, "state": "shown",
                   "age_s": 1, "left_s": 9},
                  {"id": "02", "peer": "y", "name": "SM", "target": "all", "text": "standby", "urgent": false,
                   "state": "accepted", "age_s": 1, "left_s": 0}]}
                """#)
        try await withNode({ _ in .document(calls) }) { path in
            let printed = try await printedLines {
                let words = ["answer", "--control", path] + (accepted ? [] : ["--decline"])
                #expect(await Program.run(words) == .healthy)
            }
            #expect(printed.contains(#"you \#(word) SM's call "standby""#), "\(printed)")
        }
    }

    @Test("a reply says to whom it goes", arguments: [(true, "on"), (false, "off")])
    func replied(down: Bool, word: String) async throws {
        let talk = TalkDocument(
            json: #"""
                {"schema": "partyline.talk/1", "key": "@reply", "talk_mode": "ptt", "key_down": \#(down),
                 "stuck": false, "talking": true, "coughing": false, "reply_to": "SM"}
                """#)
        try await withNode({ _ in .document(talk) }) { path in
            let printed = try await printedLines {
                #expect(await Program.run(["reply", "--control", path]) == .healthy)
            }
            #expect(printed.contains("reply to SM: \(word)"), "\(printed)")
        }
    }

    @Test("verbs say to the node what the person said to them")
    func requests() async throws {
        let asked = Mutex<[String]>([])
        let verbs: [([String], any ControlRequest)] = [
            (["talk"], TalkRequest(.toggle)), (["talk", "on"], TalkRequest(.on)), (["talk", "off"], TalkRequest(.off)),
            (["talk", "--for", "2.5"], TalkRequest(.hold(seconds: 2.5))),
            (["mute", "SM"], MuteRequest(peer: "SM", muted: true)),
            (["mute", "SM", "off"], MuteRequest(peer: "SM", muted: false)),
            (["volume", "SM", "-6"], VolumeRequest(peer: "SM", gainDb: -6)),
            (["volume", "SM", "-12.5"], VolumeRequest(peer: "SM", gainDb: -12.5)),
            (["volume", "SM", "3"], VolumeRequest(peer: "SM", gainDb: 3)),
            (["volume", "SM", "--", "-6"], VolumeRequest(peer: "SM", gainDb: -6)),
            (["volume", "--", "SM", "-6"], VolumeRequest(peer: "SM", gainDb: -6)),
            (["pan", "SM", "-100"], PanRequest(peer: "SM", pan: -100)),
            (["pan", "SM", "--", "-100"], PanRequest(peer: "SM", pan: -100)),
            (["pan", "SM", "--", "auto"], PanRequest(peer: "SM", pan: nil)),
            (["priority", "SM", "off"], PriorityRequest(peer: "SM", priority: false)),
            (["dim", "12"], DimRequest(dimDb: 12)),
            (["channel", "create", "lights"], ChannelCreateRequest(name: "lights")),
            (["channel", "delete", "lights"], ChannelDeleteRequest(name: "lights")),
            (["channel", "rename", "lights", "rig"], ChannelRenameRequest(name: "lights", newName: "rig")),
            (["channel", "hide", "lights"], ChannelHideRequest(name: "lights", hidden: true)),
            (["channel", "show", "lights"], ChannelHideRequest(name: "lights", hidden: false)),
            (["join", "lights"], JoinRequest(channel: "lights")),
            (["call"], CallMakeRequest()),
            (
                ["call", "LX", "--text", "ready?", "--urgent", "--expires", "5"],
                CallMakeRequest(peer: "LX", text: "ready?", urgent: true, expiresS: 5)
            ),
            (["call", "--channel", "lights"], CallMakeRequest(channel: "lights")),
            (["call", "--all"], CallMakeRequest(all: true)),
            (["answer"], CallAnswerRequest(accepted: true)),
            (["answer", "LX", "--decline"], CallAnswerRequest(call: "LX", accepted: false)),
            (["withdraw", "1a2b"], CallWithdrawRequest(call: "1a2b")),
            (["dnd", "on"], DoNotDisturbRequest(on: true)), (["dnd"], CallsRequest()),
            (
                ["close-microphone", "LX", "--channel", "lights"],
                CloseMicrophoneRequest(peer: "LX", channel: "lights")
            ),
            (
                ["join", "lights", "--level", "-6", "--ear", "left", "--listen-only"],
                JoinRequest(channel: "lights", levelDb: -6, ear: .left, manner: .listenOnly)
            ),
            (["join", "lights", "--talk-only"], JoinRequest(channel: "lights", manner: .talkOnly)),
            (["join", "lights", "--listen-and-talk"], JoinRequest(channel: "lights", manner: .listenAndTalk)),
            (["part", "lights"], PartRequest(channel: "lights")),
            (["level", "lights", "-12"], LevelRequest(channel: "lights", levelDb: -12)),
            (["talk-on", "lights", "stage"], TalkOnRequest(channels: ["lights", "stage"])),
            (["talk-on"], TalkOnRequest(channels: [])),
            (["peers", "block", "SM"], BlockRequest(peer: "SM")),
            (["peers", "unblock", "SM"], UnblockRequest(peer: "SM")), (["stop"], StopRequest()),
            (["advertise", "off"], AdvertiseRequest(advertised: false)),
            (["advertise", "on"], AdvertiseRequest(advertised: true)),
        ]
        let down = TalkDocument(
            json: #"""
                {"schema": "partyline.talk/1", "key": "talk", "talk_mode": "ptt", "key_down": true, "talking": true,
                 "stuck": false, "coughing": false}
                """#)
        let channels = ChannelsDocument(
            json: #"{"schema": "partyline.channels/1", "channels": [], "privately": [], "to_all": []}"#)
        let calls = CallsDocument(
            json: #"{"schema": "partyline.calls/1", "do_not_disturb": false, "incoming": [], "outgoing": []}"#)
        try await withNode({ call in
            // Some verbs ask for the channels too, to tell more of what they have done.
            guard call.method != "channels" else { return .document(channels) }
            let request = NodeMethods.all.first { $0.method.name == call.method }.flatMap { Self.read(call, $0) }
            asked.withLock { $0.append(request ?? "not understood: \(call.method)") }
            switch call.method {
            case "talk": return .document(down)
            case "channel.join", "channel.part", "channel.level", "channel.talk": return .document(channels)
            case let method where method.hasPrefix("calls"): return .document(calls)
            case "peers.block", "peers.unblock": return .document(Self.key)
            default: return .document(DoneDocument())
            }
        }) { path in
            for (arguments, _) in verbs {
                let command = ["peers", "channel"].contains(arguments[0]) ? 2 : 1
                let line = arguments.prefix(command) + ["--control", path] + arguments.dropFirst(command)
                #expect(await Program.run(Array(line)) == .healthy, "\(arguments)")
            }
        }
        #expect(asked.withLock { $0 } == verbs.map { "\($0.1)" })
    }

    /// The request of a call, as a text.
    private static func read<Request: ControlRequest>(_ call: ControlCall, _ type: Request.Type) -> String? {
        (try? call.request(type)).map { "\($0)" }
    }
}
