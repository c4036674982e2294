import ControlPlane
import NodeRuntime
import Testing

@Suite("a key whose voice nobody gets")
struct UnheardKeyTests {
    private static func key(_ more: String) -> KeysDocument.Key {
        KeysDocument.Key(
            json: #"{"name": "2", "mode": "ptt", "down": true, "talking": true, "stuck": false, \#(more)}"#)
    }

    private static let lights = #""channels": [{"name": "lights", "exists": true, "deleted": false}]"#
    private static let none = #""channels": [], "peers": [], "reply": false, "all": false, "reaches": []"#

    @Test(
        "the sentence names each cause",
        arguments: [
            (lights + #", "peers": [], "reply": false, "all": false, "reaches": []"#, "channel lights has no listener"),
            (
                #""channels": [{"name": "gone", "exists": false, "deleted": false}],"#
                    + #""peers": [{"name": "FOH", "linked": false}],"#
                    + #""reply": true, "all": false, "reaches": []"#,
                "channel gone has no listener, FOH is not linked, nobody has called this node"
            ),
            (
                #""channels": [], "peers": [], "reply": true, "reply_to": "LX", "all": false, "reaches": []"#,
                "LX is not linked"
            ),
            (
                #""channels": [], "peers": [{"name": "LX", "linked": true}], "reply": true, "reply_to": "FOH","#
                    + #""all": false, "reaches": [], "refused_by": ["LX", "FOH"]"#,
                "LX does not grant it, FOH does not grant it"
            ),
            (
                #""channels": [], "peers": [], "reply": false, "all": true, "reaches": []"#,
                "no linked peer can hear this node"
            ),
            (none, "it speaks on no channel"),
        ])
    func causes(more: String, cause: String) {
        #expect(Self.key(more).unheard(hasLinks: true) == "nobody hears key '2': " + cause)
        #expect(Self.key(more).unheard(hasLinks: false) == "nobody hears key '2': no peer is linked")
    }

    @Test("of a key without a channel, the sentence names the channels to which the node only listens, and the remedy")
    func silent() {
        let start = "nobody hears key '2': "
        #expect(
            Self.key(Self.none).unheard(hasLinks: true, silentOn: ["cue a", "fly"])
                == start + "it speaks on no channel, because this node only listens to cue a, fly: "
                + "`partyline join 'cue a' --listen-and-talk` lets it speak")
        let other = Self.key(Self.lights + #", "peers": [], "reply": false, "all": false, "reaches": []"#)
        #expect(other.unheard(hasLinks: true, silentOn: ["fly"]) == start + "channel lights has no listener")
    }

    @Test("there is none for a key that somebody hears")
    func heard() {
        let key = Self.key(Self.lights + #", "peers": [], "reply": false, "all": false, "reaches": ["LX"]"#)
        #expect(key.unheard(hasLinks: true) == nil)
    }
}

/// Whole nodes.
@Suite("private talk between running nodes", .serialized, .timeLimit(.minutes(1)))
struct DirectTalkOfNodesTests {
    @Test("a press that nobody hears is told once; private talk and talk to all are shown at their receiver")
    func shown() async throws {
        let bench = try NodeBench()
        let file = try bench.write(
            """
            [[channel]]
            name = "stage"
            [role.desk]
            channels = ["stage"]
            [[role.desk.key]]
            name = "stage"
            channels = ["stage"]
            [[role.desk.key]]
            name = "all"
            all = true
            """, to: "crew.toml")
        let a = try await bench.start("a", [.input: "tone:440", .crew: file, .role: "desk", .nick: "a"])
        let address = try await NodeBench.onThread {
            #expect(try a.ask(KeysRequest()).keys.first?.channels.map(\.exists) == [true], "joined, not yet listed")
            let alone = try a.ask(TalkRequest(.press))
            #expect(alone.keyDown && alone.unheard == "nobody hears key 'stage': no peer is linked")
            try a.awaitEvent("talk_unheard")
            #expect(try a.ask(TalkRequest(.release)).unheard == nil)
            return try a.address()
        }
        let c = try await bench.start("c", [.input: "null", .channel: "fly", .peer: address])
        try await NodeBench.onThread {
            try a.awaitStatus("linked") { $0.mesh.linksUp == 1 }
            let alone = "nobody else is on the channels of this node; the others are on stage: `partyline join stage`"
            let status = try c.awaitStatus("c is told that it is alone on fly") { $0.node.warnings.contains(alone) }
            #expect(!status.health.contains(alone), "it is no trouble")
            #expect(try a.ask(TalkRequest(.press)).unheard == "nobody hears key 'stage': channel stage has no listener")
            try a.ask(TalkRequest(.release))
            #expect(try a.ask(PrivateRequest(peer: "c", isDown: true)).unheard == nil)
            #expect(try a.ask(KeysRequest()).keys.map(\.name) == ["stage", "all", "@c"])
            try c.awaitStatus("a talks privately") { $0.peers.first?.talksTo == "you" }
            #expect(try c.ask(ChannelsRequest()).privately == ["a"])
            #expect(throws: ControlClientError.self) { try a.ask(PrivateRequest(peer: "b", isDown: false)) }
            let beginning = String(try c.ask(IdentityRequest()).id.prefix(9))
            try a.ask(PrivateRequest(peer: beginning, isDown: false))
            try c.awaitStatus("no more") { $0.peers.first?.talksTo == nil }
            try a.awaitStatus("the made key is listed no more") { $0.audio.keyCount == 2 }
            #expect(try a.ask(KeysRequest()).keys.map(\.name) == ["stage", "all"])
            try a.ask(TalkRequest(.press, key: "all"))
            try c.awaitStatus("a talks to all") { $0.peers.first?.talksTo == "all" }
            #expect(try c.ask(ChannelsRequest()).toAll == ["a"])
            let events = try c.eventsUntilNow()
            #expect(events.filter { $0 == "private_talk true" }.count == 1, "\(events)")
            for node in [a, c] { try node.stop() }
        }
        for node in [a, c] { try await node.ended() }
    }

    @Test("a key that is down and loses its last listener is told")
    func lastListenerGoes() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null", .talk: "ptt"])
        let b = try await bench.start("b", [.input: "null"], peer: a)
        try await NodeBench.onThread {
            try a.awaitStatus("the key reaches b") { _ in
                (try? a.ask(KeysRequest()))?.keys.first?.reaches == ["b"]
            }
            #expect(try a.ask(TalkRequest(.press)).unheard == nil)
            try b.stop()
            let event = try a.nextEvent(of: "talk_unheard")
            #expect(event.text == "nobody hears key 'talk': no peer is linked" && event.details == ["key": "talk"])
            try a.stop()
        }
        for node in [a, b] { try await node.ended() }
    }

    @Test("a peer that refuses private talk or talk to all is no listener, and the talker is told its name")
    func refused() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "tone:440", .channel: "stage"])
        let b = try await bench.start("b", [.input: "null", .channel: "fly"], peer: a)
        let c = try await bench.start(
            "c", [.input: "null", .channel: "fly", .grantPrivate: "nobody", .grantAll: "nobody"], peer: a)
        try await NodeBench.onThread {
            try a.awaitStatus("linked") { $0.mesh.linksUp == 2 }
            try a.ask(PrivateRequest(peer: "c", isDown: true))
            try a.awaitStatus("the refusal is known") { _ in
                (try? a.ask(KeysRequest()))?.keys.contains { $0.refusedBy == ["c"] } == true
            }
            let toC = try a.ask(PrivateRequest(peer: "c", isDown: true))
            #expect(toC.unheard == "nobody hears key '@c': c does not grant it" && toC.refusedBy == ["c"])
            let listed = try a.ask(KeysRequest()).keys.first { $0.name == "@c" }
            #expect(listed?.reaches == [] && listed?.refusedBy == ["c"])
            let toB = try a.ask(PrivateRequest(peer: "b", isDown: true))
            #expect(toB.unheard == nil && toB.refusedBy == nil)
            for node in [a, b, c] { try node.stop() }
        }
        for node in [a, b, c] { try await node.ended() }
    }
}
