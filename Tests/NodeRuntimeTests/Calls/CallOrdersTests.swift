import ControlPlane
import NodeRuntime
import Testing

/// Whole nodes that call each other.
@Suite("calls of running nodes", .serialized, .timeLimit(.minutes(1)))
struct CallOrdersTests {
    @Test("a call is shown, answered and told at both ends; do-not-disturb declines all but an urgent one")
    func callAndAnswer() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null"])
        let b = try await bench.start("b", [.input: "null", .grantCallAll: "nobody"], peer: a)
        try await NodeBench.onThread {
            try a.awaitStatus("linked") { $0.mesh.linksUp == 1 }
            try b.awaitStatus("linked") { $0.mesh.linksUp == 1 }
            let made = try a.ask(CallMakeRequest(peer: "B", text: "ready?", expiresS: 60))
            #expect(made.outgoing.map(\.id) == [made.made])
            #expect(made.outgoing.first?.receivers.map(\.name) == ["b"])
            try b.awaitEvent("call")
            let shown = try b.ask(CallsRequest())
            #expect(shown.incoming.map(\.text) == ["ready?"] && shown.incoming.map(\.state) == ["shown"])
            #expect(shown.lastCaller == "a")
            #expect(try b.ask(StatusRequest()).node.calls.map(\.id) == shown.incoming.map(\.id))
            #expect(try b.ask(CallAnswerRequest(call: "a", accepted: true)).incoming.map(\.state) == ["accepted"])
            #expect(throws: ControlClientError.self) { try b.ask(CallAnswerRequest(accepted: true)) }
            let again = try b.refusal(of: CallAnswerRequest(call: "a", accepted: true))
            #expect(again?.hasPrefix("that call was answered or withdrawn") == true, "\(again ?? "answered")")
            #expect(try b.ask(StatusRequest()).node.calls == [], "none waits")
            try a.awaitCalls("answered") { $0.outgoing.last?.receivers.map(\.answer) == ["accepted"] }

            #expect(try b.ask(DoNotDisturbRequest(on: true)).doNotDisturb)
            let refusal = #expect(throws: ControlClientError.self) { try a.ask(CallMakeRequest(channel: "mian")) }
            #expect("\(try #require(refusal))".contains("there is no channel mian (did you mean 'main'?)"))
            try a.ask(CallMakeRequest())
            try a.awaitCalls("declined by do-not-disturb") { $0.outgoing.last?.receivers.map(\.answer) == ["declined"] }
            #expect(try b.ask(CallsRequest()).incoming.last?.state == "quiet")
            let node = try b.ask(StatusRequest()).node
            #expect(node.doNotDisturb && node.calls == [])
            try a.ask(CallMakeRequest(peer: "b", urgent: true))
            try b.awaitCalls("urgent") { $0.incoming.last?.state == "shown" && $0.incoming.last?.urgent == true }
            try a.ask(CallWithdrawRequest())
            try b.awaitCalls("withdrawn") { $0.incoming.last?.state == "withdrawn" }
            try a.ask(CallMakeRequest(all: true, urgent: true))
            try a.awaitCalls("b grants nobody a call to all") {
                $0.outgoing.last?.target == "all" && $0.outgoing.last?.receivers.map(\.answer) == ["declined"]
            }
            #expect(try b.ask(CallsRequest()).incoming.count == 3)
            for node in [a, b] { try node.stop() }
        }
        for node in [a, b] { try await node.ended() }
    }

    @Test("a call to all by a role is declined until the person trusts the key that claims the role")
    func callByRole() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null", .role: "Stage manager"])
        let address = try await NodeBench.onThread { try a.address() }
        var options = try bench.options(of: "b", [.input: "null", .peer: address])
        options.grants.callAll = .roles(["stage manager"])
        let b = try await NodeUnderTest(options)
        try await NodeBench.onThread {
            for node in [a, b] { try node.awaitStatus("linked") { $0.mesh.linksUp == 1 } }
            func answer(_ words: String, _ wanted: String) throws {
                try a.ask(CallMakeRequest(all: true))
                try a.awaitCalls(words) { $0.outgoing.last?.receivers.map(\.answer) == [wanted] }
            }
            try answer("anybody may claim the role", "declined")
            try b.ask(TrustRequest(peer: "a"))
            try answer("the key is trusted", "shown")
            try a.ask(IntroduceRequest(ProfileWords(role: "lights")))
            try b.awaitStatus("another role") { $0.peers.contains { $0.profile.role == "lights" } }
            try answer("another role has no grant", "declined")
            for node in [a, b] { try node.stop() }
        }
        for node in [a, b] { try await node.ended() }
    }

    @Test("a reply stays with its caller while its key is down, also if a cough holds the voice back until others call")
    func replyUnderCough() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "tone:440"])
        let b = try await bench.start("b", [.input: "null"], peer: a)
        let c = try await bench.start("c", [.input: "null"], peer: a)
        try await NodeBench.onThread {
            func hears(_ node: NodeUnderTest, _ words: String) throws {
                try node.awaitStatus(words) { $0.peers.contains { $0.name == "a" && $0.talking } }
            }
            for node in [a, b, c] { try node.awaitStatus("linked") { $0.mesh.linksUp == 2 } }
            try b.ask(CallMakeRequest(peer: "a"))
            try a.awaitCalls("b has called") { $0.lastCaller == "b" }
            try a.talk(.cough(seconds: nil))
            #expect(try a.ask(ReplyRequest(isDown: true)).replyTo == "b")
            try c.ask(CallMakeRequest(peer: "a"))
            try a.awaitCalls("c has called") { $0.lastCaller == "c" }
            #expect(try a.ask(KeysRequest()).keys.last?.replyTo == "b")
            try a.talk(.uncough)
            try hears(b, "the reply")
            try a.ask(ReplyRequest(isDown: false))
            #expect(try !c.ask(StatusRequest()).peers.contains { $0.talking })
            try a.ask(ReplyRequest(isDown: true))
            try hears(c, "the next reply")
            for node in [a, b, c] { try node.stop() }
        }
        for node in [a, b, c] { try await node.ended() }
    }

    @Test("a caller is found by a name that begins the id of another call, and of namesakes the one that calls")
    func shortName() async throws {
        let bench = try NodeBench()
        let desk = try await bench.start("desk", [.input: "null"])
        let stage = try await bench.start("stage", [.input: "null"], peer: desk)
        let camera = try await bench.start("camera", [.input: "null"], peer: desk)
        try await NodeBench.onThread {
            for node in [desk, stage, camera] { try node.awaitStatus("linked") { $0.mesh.linksUp == 2 } }
            let id = try #require(try stage.ask(CallMakeRequest(peer: "desk")).made)
            try desk.awaitCalls("stage has called") { $0.incoming.count == 1 }
            let name = String(id.prefix(1))
            try camera.ask(IntroduceRequest(ProfileWords(nick: name)))
            try desk.awaitStatus("camera has a short name") { $0.peers.contains { $0.name == name } }
            #expect(throws: ControlClientError.self, "that peer does not call") {
                try desk.ask(CallAnswerRequest(call: name, accepted: true))
            }
            try camera.ask(CallMakeRequest(peer: "desk"))
            try desk.awaitCalls("camera has called") { $0.incoming.count == 2 }
            let answered = try desk.ask(CallAnswerRequest(call: name, accepted: true))
            #expect(answered.incoming.map(\.state) == ["shown", "accepted"])
            try stage.ask(IntroduceRequest(ProfileWords(nick: name)))
            try desk.awaitStatus("two have that name") { $0.peers.allSatisfy { $0.name == name } }
            let second = try desk.ask(CallAnswerRequest(call: name, accepted: true))
            #expect(second.incoming.map(\.state) == ["accepted", "accepted"], "one of them calls")
            for node in [desk, stage, camera] { try node.stop() }
        }
        for node in [desk, stage, camera] { try await node.ended() }
    }

    @Test("where all keys are taken, private talk takes the place of the key that was made for a reply")
    func privateAfterReply() async throws {
        let bench = try NodeBench()
        let keys = (2...8).map { "[[role.desk.key]]\nname = \"key \($0)\"\nchannels = [\"stage\"]\n" }
        let role = "[[channel]]\nname = \"stage\"\n[role.desk]\nchannels = [\"stage\"]\n"
        let file = try bench.write(role + keys.joined().replacing("key ", with: "key-"), to: "crew.toml")
        let a = try await bench.start("a", [.input: "null", .crew: file, .role: "desk"])
        let b = try await bench.start("b", [.input: "null"], peer: a)
        try await NodeBench.onThread {
            try b.awaitStatus("linked") { $0.mesh.linksUp == 1 }
            try b.ask(CallMakeRequest(all: true))
            try a.awaitCalls("b has called") { $0.lastCaller == "b" }
            for isDown in [true, false] { try a.ask(ReplyRequest(isDown: isDown)) }
            // The last frames of the reply may still be under way.
            try a.awaitStatus("the key of the reply is idle") { _ in
                (try? a.ask(PrivateRequest(peer: "b", isDown: true))) != nil
            }
            #expect(try a.ask(KeysRequest()).keys.map(\.name).last == "@b")
            for node in [a, b] { try node.stop() }
        }
        for node in [a, b] { try await node.ended() }
    }

    @Test("a microphone that a peer asks to close closes, whatever the mode of its key; it may be opened again")
    func closeMicrophone() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "tone:440", .talk: "open"])
        let b = try await bench.start(
            "b", [.input: "tone:440", .talk: "latch", .grantCloseMicrophone: "nobody"], peer: a)
        try await NodeBench.onThread {
            try b.awaitStatus("linked") { $0.mesh.linksUp == 1 && $0.peers.first?.talking == true }
            // The list of the other's channels may come after the link, and its event before the bench gets events.
            for (node, other) in [(a, "b"), (b, "a")] {
                try node.awaitChannels("\(other) is on main") { list in
                    list.channels.contains { $0.name == "main" && $0.members == [other] }
                }
            }
            // The bench got the events of a before b started.
            try a.awaitEvent("peer_channels")
            try b.ask(CloseMicrophoneRequest(peer: "a"))
            try b.awaitStatus("a is closed") { $0.peers.first?.talking == false }
            try b.awaitEvent("microphone_answered")
            try a.awaitEvent("microphone_closed")
            #expect(try a.ask(TalkRequest(.on)).talking)
            try b.ask(TalkRequest(.on))
            try a.ask(CloseMicrophoneRequest(peer: "b", channel: "main"))
            try a.awaitEvent("microphone_answered")
            #expect(try b.ask(StatusRequest()).audio.talking, "b has refused")
            for node in [a, b] { try node.stop() }
        }
        for node in [a, b] { try await node.ended() }
    }

    @Test("a call that cannot be made is refused in words")
    func refusals() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null"])
        try await NodeBench.onThread {
            let requests = [
                CallMakeRequest(), CallMakeRequest(all: true), CallMakeRequest(peer: "nobody"),
                CallMakeRequest(channel: "lights"), CallMakeRequest(channel: ""),
                CallMakeRequest(channel: "main", all: true), CallMakeRequest(all: true, expiresS: 0.5),
                CallMakeRequest(all: true, text: String(repeating: "x", count: 25)),
                CallMakeRequest(all: true, text: "a\u{202E}b"),
            ]
            for request in requests { #expect(throws: ControlClientError.self) { try a.ask(request) } }
            #expect(throws: ControlClientError.self) { try a.ask(CallAnswerRequest(call: "1a2b", accepted: true)) }
            #expect(throws: ControlClientError.self) { try a.ask(CallWithdrawRequest()) }
            #expect(throws: ControlClientError.self) { try a.ask(CloseMicrophoneRequest(peer: "nobody")) }
            #expect(try a.ask(CallsRequest()).outgoing.isEmpty)
            try a.stop()
        }
        try await a.ended()
    }
}

extension NodeUnderTest {
    /// Asks for the calls until they are as wanted. Throws `NotInTime` if they are not within 10 s.
    fileprivate func awaitCalls(_ words: String, until isWanted: (CallsDocument) -> Bool) throws {
        try awaitStatus(words) { _ in (try? ask(CallsRequest())).map(isWanted) ?? false }
    }
}
