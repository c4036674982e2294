import Commands
import ControlPlane
import Foundation
import NodeRuntime
import Synchronization
import TestKit
import Testing

extension ProgramTests {
    @Test("a key that is down and that nobody hears is 4 in each mode, with the reason", arguments: ["ptt", "latch"])
    func unheard(mode: String) async throws {
        let talk = TalkDocument(
            json: #"""
                {"schema": "partyline.talk/1", "key": "stage", "talk_mode": "\#(mode)", "key_down": true,
                 "stuck": false, "talking": true, "coughing": false,
                 "unheard": "nobody hears key 'stage': no peer is linked"}
                """#)
        try await withNode({ _ in .document(talk) }) { path in
            let printed = try await printedLines {
                #expect(await Program.run(["talk", "press", "--control", path]) == .degraded)
            }
            #expect(printed.contains("stage on (\(mode))"))
            #expect(printed.contains("partyline: nobody hears key 'stage': no peer is linked"))
        }
    }

    @Test(
        "a key that was held for too long is 4, and the sentence says how it talks again; a cough comes first",
        arguments: [(false, Commands.ExitStatus.degraded), (true, .healthy)])
    func stuck(coughing: Bool, status: Commands.ExitStatus) async throws {
        let talk = TalkDocument(
            json: #"""
                {"schema": "partyline.talk/1", "key": "my key", "talk_mode": "ptt", "key_down": false,
                 "stuck": true, "talking": false, "coughing": \#(coughing)}
                """#)
        let off = "`partyline talk off --key 'my key'`"
        let why = "partyline: key 'my key' was held for too long, and is ignored until \(off)"
        try await withNode({ _ in .document(talk) }) { path in
            let printed = try await printedLines {
                #expect(await Program.run(["talk", "on", "--key", "my key", "--control", path]) == status)
            }
            #expect(printed.contains(why) == !coughing, "\(printed)")
        }
    }

    @Test("`peers --json` prints a versioned document, as `status` does")
    func peersDocument() async throws {
        try await withNode({ _ in .document(StatusTextTests.status) }) { path in
            let printed = try await printedLines {
                #expect(await Program.run(["peers", "--json", "--control", path]) == .healthy)
            }
            #expect(printed.contains { $0.contains("partyline.status/1") }, "\(printed)")
        }
    }

    @Test("`record stop` says that it has called off a recording that was to begin")
    func recordStop() async throws {
        let recording = RecordingDocument(
            json: #"""
                {"schema": "partyline.recording/1", "recording": false, "tracks": false, "files": 0,
                 "pieces_lost": 0, "pieces_without_track": 0}
                """#)
        try await withNode({ _ in .document(recording) }) { path in
            let printed = try await printedLines {
                #expect(await Program.run(["record", "stop", "--control", path]) == .healthy)
            }
            #expect(printed.contains("the recording that was to begin is called off"), "\(printed)")
        }
    }

    @Test("a key that some of its peers do not grant is 0, and its line names these peers")
    func ungranted() async throws {
        let talk = TalkDocument(
            json: #"""
                {"schema": "partyline.talk/1", "key": "all", "talk_mode": "ptt", "key_down": true,
                 "stuck": false, "talking": true, "coughing": false, "refused_by": ["SM", "FOH"]}
                """#)
        try await withNode({ _ in .document(talk) }) { path in
            let printed = try await printedLines {
                #expect(await Program.run(["talk", "on", "--key", "all", "--control", path]) == .healthy)
            }
            #expect(printed.contains("all on (ptt); not granted by SM, FOH"))
        }
    }
}

extension ProgramTests {
    @Test(
        "`call --wait` is 0 if somebody takes the call, and 1 if nobody does",
        arguments: [
            ("accepted", "answered", true, "LX takes the call"),
            ("declined", "answered", false, "partyline: the call is declined by LX"),
            ("shown", "withdrawn", false, "partyline: the call was withdrawn"),
            ("shown", "open", false, "partyline: nobody has answered within 1 s; the call is still open"),
        ])
    func callWait(answer: String, state: String, isTaken: Bool, line: String) async throws {
        func calls(_ answer: String, _ state: String) -> CallsDocument {
            CallsDocument(
                json: #"""
                    {"schema": "partyline.calls/1", "do_not_disturb": false, "made": "01", "incoming": [], "outgoing": [
                      {"id": "01", "target": "peer", "urgent": false, "state": "\#(state)", "age_s": 0, "left_s": 9,
                       "receivers": [{"peer": "x", "name": "LX", "answer": "\#(answer)"}]}]}
                    """#)
        }
        let (made, later) = (calls("sent", "open"), calls(answer, state))
        try await withNode({ .document($0.method == "calls.make" ? made : later) }) { path in
            let printed = try await printedLines {
                let status = await Program.run(["call", "--control", path, "LX", "--wait", "1"])
                #expect(status == (isTaken ? .healthy : .failed))
            }
            #expect(printed.contains("calling LX") && printed.contains(line), "\(printed)")
        }
        #expect(await Program.run(["call", "LX", "--wait", "0"]) == .usage)
    }

    @Test("the end of `call --all --wait` names those who have declined, also where another takes the call or it ends")
    func callWaitDeclined() {
        func calls(_ answers: [String]) -> CallsDocument {
            let receivers = zip(["LX", "SM", "FOH"], answers).map {
                #"{"peer": "x", "name": "\#($0)", "answer": "\#($1)"}"#
            }
            return CallsDocument(
                json: #"""
                    {"schema": "partyline.calls/1", "do_not_disturb": false, "incoming": [], "outgoing": [
                      {"id": "01", "target": "all", "urgent": false, "state": "open", "age_s": 0, "left_s": 9,
                       "receivers": [\#(receivers.joined(separator: ", "))]}]}
                    """#)
        }
        func words(_ answers: [String]) -> String {
            let document = calls(answers)
            let decliners = CallOutcome.decliners(of: "01", in: document) ?? []
            return CallOutcome(of: "01", in: document).words(after: 5, declinedBy: decliners)
        }
        #expect(words(["declined", "accepted", "declined"]) == "SM takes the call; it is declined by LX, FOH")
        #expect(words(["declined", "declined"]) == "the call is declined by LX, SM")
        #expect(
            words(["declined", "shown"])
                == "nobody has taken it within 5 s; the call is still open; it is declined by LX")
        #expect(CallOutcome.decliners(of: "02", in: calls(["declined"])) == nil)
        #expect(
            CallOutcome.expired.words(after: 5, declinedBy: ["LX"])
                == "nobody has taken it until the call's time was over; it is declined by LX")
    }
}

extension ProgramTests {
    @Test("`events` ends with exit code 3 where the node ends")
    func eventsEnd() async throws {
        let path = "\(temporaryFolder)/partyline-test-\(UUID().uuidString.prefix(8)).sock"
        let (asked, noteAsked) = AsyncStream<Void>.makeStream()
        let server = ControlServer(path: path) { _ in
            noteAsked.yield()
            return .subscribed(DoneDocument(), EventSubscription(kinds: nil))
        }
        try await server.start()
        async let status = Program.run(["events", "--control", path])
        for await _ in asked { break }
        await server.stop()
        #expect(await status == .noNodeRunning)
    }

    @Test("a state folder too long for a socket is 3 where no node runs: its node would have the socket elsewhere")
    func longStateFolder() async {
        let folder = "/tmp/partyline-test-" + String(repeating: "x", count: 120)
        for verb in [["status"], ["status", "--check"], ["stop"]] {
            #expect(await Program.run(verb + ["--state-dir", folder]) == .noNodeRunning)
            #expect(await Program.run(verb + ["--control", folder]) == .failed, "a person has named it")
        }
    }

    @Test(
        "`status --watch`, `ping` and `call --wait` end with exit code 3 where the node ends",
        arguments: [["status", "--watch", "0.1"], ["ping", "LX", "-c", "9"], ["call", "LX", "--wait", "60"]])
    func waitEnd(arguments: [String]) async throws {
        let path = "\(temporaryFolder)/partyline-test-\(UUID().uuidString.prefix(8)).sock"
        let ping = PingDocument(
            json: #"{"schema": "partyline.ping/1", "peer": "x", "name": "LX", "path": "direct", "rtt_ms": 1}"#)
        let calls = CallsDocument(
            json: #"""
                {"schema": "partyline.calls/1", "do_not_disturb": false, "made": "01", "incoming": [], "outgoing": [
                  {"id": "01", "target": "peer", "urgent": false, "state": "open", "age_s": 0, "left_s": 9,
                   "receivers": [{"peer": "x", "name": "LX", "answer": "sent"}]}]}
                """#)
        let (asked, noteAsked) = AsyncStream<Void>.makeStream()
        let server = ControlServer(path: path) { call in
            noteAsked.yield()
            switch call.method {
            case StatusRequest.method.name: return .document(StatusTextTests.status)
            case PingRequest.method.name: return .document(ping)
            default: return .document(calls)
            }
        }
        try await server.start()
        async let status = Program.run(arguments + ["--control", path])
        for await _ in asked { break }
        await server.stop()
        #expect(await status == .noNodeRunning)
    }

    @Test("`events --kind` prints the kinds that were named; the node names a kind that does not exist")
    func eventKinds() async throws {
        let asked = Mutex<[[String]?]>([])
        try await withNode({ call in
            do throws(ControlFailure) {
                let request = try call.request(EventsRequest.self)
                asked.withLock { $0.append(request.kinds) }
            } catch {
                return .failed(error)
            }
            // The command ends when the node refuses, and not before.
            return .failed(ControlFailure(.notNow, "enough"))
        }) { path in
            for line in [["--kind", "peer_up,talking"], ["--kind", " peer_up , talking"], []] {
                #expect(await Program.run(["events", "--control", path] + line) == .failed)
            }
            for kinds in ["peer_upp", "peer_up,", "peer_up, "] {
                #expect(await Program.run(["events", "--control", path, "--kind", kinds]) == .usage)
            }
        }
        #expect(asked.withLock { $0 } == [["peer_up", "talking"], ["peer_up", "talking"], nil])
    }

    @Test("`events --last` first prints the latest events of the kinds that were named, and no event twice")
    func latestEvents() async throws {
        let path = "\(temporaryFolder)/partyline-test-\(UUID().uuidString.prefix(8)).sock"
        let kinds = ["howl", "peer_up", "lost", "peer_up", "resumed", "peer_up"]
        let kept = kinds.enumerated().map { number, kind in
            """
            {"schema": "partyline.event/1", "station": "a", "sequence": \(number), "at_unix_s": 1, "uptime_s": 1,
             "kind": "\(kind)", "text": "event \(number)", "details": {}}
            """
        }
        let latest = EventsDocument(
            json: #"{"schema": "partyline.events/1", "events": [\#(kept.joined(separator: ", "))]}"#)
        let again = latest.events[5]
        var next = again
        (next.sequence, next.text) = (6, "event 6")
        let (asked, noteAsked) = AsyncStream<Void>.makeStream()
        let server = ControlServer(path: path) { call in
            guard call.method == "events.latest" else {
                return .subscribed(DoneDocument(), EventSubscription(kinds: nil))
            }
            noteAsked.yield()
            return .document(latest)
        }
        try await server.start()
        let printed = try await printedLines {
            async let status = Program.run(["events", "--control", path, "--last", "2", "--kind", "peer_up"])
            for await _ in asked { break }
            for event in [again, next] { server.publish(event, kind: event.kind) }
            await server.stop()
            #expect(await status == .noNodeRunning)
        }
        let shown = printed.compactMap { $0.contains("peer_up") ? $0.split(separator: " ").last : nil }
        #expect(shown == ["3", "5", "6"], "\(printed)")
        #expect(await Program.run(["events", "--control", path, "--last", "0"]) == .usage)
    }
}

extension ProgramTests {
    @Test("a verb that changes the profile says where the change ends with the next start")
    func untilNextStart() async throws {
        let warning = "this node has this role until its next start: a guest keeps nothing"
        try await withNode({ _ in .document(DoneDocument(warnings: [warning])) }) { path in
            let printed = try await printedLines {
                #expect(await Program.run(["role", "--control", path, "sound"]) == .healthy)
            }
            #expect(printed.contains { $0.contains(warning) }, "\(printed)")
        }
    }
}

extension ProgramTests {
    @Test("`channel create --code` warns of the open channel of that name, and of a talk key that speaks there")
    func openTwin() async throws {
        let before = ChannelTableTests.document
        let ofKey = "talk key 'kb' speaks on the open channel lights, and not on code:lights"
        var joined = before
        joined.channels[1].name = "code:lights"
        joined.channels[1].hasCode = true
        joined.warnings = [ofKey]
        try await withNode({ [joined] call in .document(call.method == "channel.join" ? joined : before) }) { path in
            let printed = try await printedLines {
                #expect(await Program.run(["channel", "create", "--control", path, "lights", "--code"]) == .healthy)
            }
            let ofTwin = "channel lights is open: everybody may hear you there. Only code:lights has a code"
            #expect(printed.contains("partyline: \(ofTwin)") && printed.contains("partyline: \(ofKey)"), "\(printed)")
        }
    }

    @Test("`channel create --code` shows the code, with 4, also where the disk of the node refuses the channel")
    func codeNotKept() async throws {
        let why = "done, but not kept for the next start: the disk is full"
        try await withNode({ call in
            guard call.method == "channel.join" else { return .document(ChannelTableTests.document) }
            return .failed(ControlFailure(.notKept, why))
        }) { path in
            let printed = try await printedLines {
                #expect(await Program.run(["channel", "create", "--control", path, "fly", "--code"]) == .degraded)
            }
            let head = "This node is on channel code:fly. Its code is shown this once:"
            #expect(printed.contains(head) && printed.contains("partyline: \(why)"), "\(printed)")
        }
    }
}

extension ProgramTests {
    private static let duplicate = "another node runs with the identity of this one"

    /// The lines of the report about a node that answers one method besides `status`.
    private func reportLines(
        _ status: StatusDocument, _ method: String, _ document: some Encodable & Sendable
    ) async throws -> [String] {
        var printed: [String] = []
        try await withNode({ call in
            switch call.method {
            case "status": .document(status)
            case method: .document(document)
            default: .failed(ControlFailure(.notNow, "not asked"))
            }
        }) { path in
            printed = try await printedLines {
                #expect(await Program.run(["report", "--control", path]) == .healthy)
            }
        }
        return printed
    }

    @Test("a report has the latest events, and no word of a file that a reload could not read")
    func reportOfNode() async throws {
        var status = StatusTextTests.status
        let note = "the last reload has changed nothing: crew.toml:9: no [[channel]] has the name 'Oskar's Orgelboden'"
        (status.node.warnings, status.node.reload) = ([note], [note])
        status.health = [note, DuplicateIdentities.line(of: ProgramTests.duplicate)]
        status.node.duplicate = ProgramTests.duplicate
        let events = EventsDocument(
            json: """
                {
                  "schema": "partyline.events/1",
                  "events": [
                    {"schema": "partyline.event/1", "station": "FOH", "sequence": 1, "at_unix_s": 1, "uptime_s": 1,
                     "kind": "howl", "text": "feedback", "details": {"count": "3"}}
                  ]
                }
                """)
        expectFacts(in: try await reportLines(status, "events.latest", events))
    }

    @Test("a report hides the name of a known key that only a sentence about its rival has")
    func reportOfRival() async throws {
        var status = StatusTextTests.status
        status.peers[0].otherKey = "ZEN-ID"
        let name = status.peers[0].name
        status.health = ["peer \(name) has another key than Zenobia, which is known here (0b88-eeee)"]
        let known = KnownKeysDocument(
            json: #"""
                {"schema": "partyline.known/1", "kept": true, "dropped": 0, "keys": [
                  {"name": "Zenobia", "id": "ZEN-ID", "short_id": "0b88-eeee", "trust": "met", "blocked": false,
                   "here": false, "named_unix_s": 1, "first_seen_unix_s": 1, "last_seen_unix_s": 1}]}
                """#)
        expectRival(in: try await reportLines(status, "peers.known", known))
    }

    @Test("`doctor` calls no mesh open while the node looks for a closed one")
    func doctorOfSearch() async throws {
        let node: ControlServer.Handler = { _ in .failed(ControlFailure(.notNow, "looking for its closed mesh")) }
        try await withNode(node) { path in
            let words = ["doctor", "--control", path, "--state-dir", path + ".state"]
            let printed = try await printedLines { _ = await Program.run(words) }
            #expect(printed.contains("WARN  node: looking for its closed mesh"), "\(printed)")
            #expect(!printed.contains { $0.hasPrefix("NOTE") || $0.contains("  mesh: ") }, "\(printed)")
        }
    }

    private func expectRival(in printed: [String]) {
        let sentence = /has another key than (peer \d+), which is known here \((peer \d+)\)/
        let shown = printed.compactMap { $0.firstMatch(of: sentence)?.output }
        #expect(shown.count == 2 && shown.allSatisfy { $0.1 == $0.2 }, "\(printed)")
        #expect(printed.allSatisfy { !$0.contains("Zenobia") && !$0.contains("rivals") }, "\(printed)")
    }

    private func expectFacts(in printed: [String]) {
        #expect(printed.contains("events: 00:00:01.000Z howl: count 3"), "\(printed)")
        #expect(printed.count { $0.contains("the last reload has changed nothing: ") } == 4, "\(printed)")
        #expect(printed.allSatisfy { !$0.contains("Orgelboden") }, "\(printed)")
        let degraded = printed.filter { $0.contains("finding: degraded: ") }
        #expect(degraded.count == 1, "\(printed)")
        #expect(degraded.allSatisfy { !$0.contains(ProgramTests.duplicate) }, "\(printed)")
        #expect(printed.contains { $0.hasSuffix("finding: \(ProgramTests.duplicate)") }, "\(printed)")
    }
}
