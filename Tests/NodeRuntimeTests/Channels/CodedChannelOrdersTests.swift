import ControlPlane
import NodeRuntime
import Testing

/// Whole nodes that join channels with a code.
@Suite("channels with a code of running nodes", .serialized, .timeLimit(.minutes(1)))
struct CodedChannelOrdersTests {
    private static let code = "kite oven lamp zero"
    private static let stage = "code:stage"

    private static func isHeard(_ status: StatusDocument) -> Bool {
        status.peers.contains { -40 < $0.levelDbfs ?? -100 }
    }

    @Test("who joined with the code hears the talker; others hear and see nothing; the next start has the code")
    func joinByCode() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "tone:440", .talk: "open"])
        let b = try await bench.start("b", [.input: "null"], peer: a)
        let c = try await bench.start("c", [.input: "null"], peer: a)
        try await NodeBench.onThread {
            for node in [a, b, c] { try node.awaitStatus("linked") { $0.mesh.linksUp == 2 } }
            #expect(throws: ControlClientError.self, "the code is missing") {
                try a.ask(JoinRequest(channel: Self.stage))
            }
            #expect(throws: ControlClientError.self, "only a channel with the mark has a code") {
                try a.ask(JoinRequest(channel: "stage", code: Self.code))
            }
            #expect(throws: ControlClientError.self, "it is in no list of the mesh") {
                try a.ask(ChannelCreateRequest(name: Self.stage))
            }
            let alone = try a.ask(JoinRequest(channel: Self.stage, code: Self.code)).row(Self.stage)
            #expect(alone?.hasCode == true && alone?.sharedWith == [] && alone?.creator == nil)
            try a.awaitEvent("channel_unshared")
            #expect(throws: ControlClientError.self, "the mark was left away") {
                try a.ask(JoinRequest(channel: "stage"))
            }
            let both = try b.ask(JoinRequest(channel: Self.stage, code: "KITE, oven lamp-zero")).row(Self.stage)
            #expect(both?.sharedWith == ["a"])
            let wrong = try c.ask(JoinRequest(channel: Self.stage, code: "lamp kite zero oven")).row(Self.stage)
            #expect(wrong?.joined == true && wrong?.sharedWith == [])
            try a.awaitStatus("the status counts the proof of b and the guess of c") { status in
                0 < status.mesh.counters["channel_proofs"] ?? 0
                    && 0 < status.mesh.counters["channel_proofs_failed"] ?? 0
            }
            #expect("another code than that which a and b share") {
                try b.ask(JoinRequest(channel: Self.stage, code: "lamp kite zero oven"))
            } throws: { error in
                guard case .refused(let failure)? = error as? ControlClientError else { return false }
                return failure.message.contains("shares it with a;") && failure.message.contains("--replace")
            }
            #expect(try b.ask(ChannelsRequest()).row(Self.stage)?.sharedWith == ["a"])
            let mended = try c.ask(JoinRequest(channel: Self.stage, code: Self.code, replace: true)).row(Self.stage)
            #expect(mended?.sharedWith.isEmpty == false)
            let again = try c.ask(
                JoinRequest(channel: Self.stage, code: "lamp kite zero oven", replace: true)
            ).row(Self.stage)
            #expect(again?.sharedWith == [])
            try a.awaitEvent("channel_proved")
            try a.ask(TalkOnRequest(channels: [Self.stage]))
            try b.awaitStatus("a sounds") { Self.isHeard($0) }
            try a.awaitChannels("b alone is on it") { $0.row(Self.stage)?.members == ["b"] }
            try b.awaitChannels("a talks on it") { $0.row(Self.stage)?.talking == ["a"] }
            let outside = try c.ask(ChannelsRequest()).row(Self.stage)
            #expect(outside?.members == [] && outside?.talking == [])
            try c.awaitStatus("c is shown no talk") { status in status.peers.allSatisfy { !$0.talking } }
            #expect(try c.ask(PartRequest(channel: Self.stage)).row(Self.stage) == nil)
            try b.stop()
        }
        try await b.ended()
        let again = try await bench.start("b", [.input: "null"], peer: a)
        try await NodeBench.onThread {
            try again.awaitStatus("a sounds again") { Self.isHeard($0) }
            #expect(try again.ask(ChannelsRequest()).row(Self.stage)?.sharedWith == ["a"])
            try again.ask(PartRequest(channel: Self.stage))
            #expect(throws: ControlClientError.self, "the code is forgotten") {
                try again.ask(JoinRequest(channel: Self.stage))
            }
            for node in [a, again, c] { try node.stop() }
        }
        for node in [a, again, c] { try await node.ended() }
    }

    @Test("status tells of a code file that gives no code, and of the channel until its code is typed")
    func brokenFile() async throws {
        let bench = try NodeBench()
        let settings: [RunKey: String] = [.channel: Self.stage, .channelCodeFile: "stage=/nowhere/code"]
        let node = try await bench.start("a", settings.merging([.input: "null"]) { $1 })
        try await NodeBench.onThread {
            func health(_ beginning: String) throws -> Bool {
                try node.ask(StatusRequest()).health.contains { $0.hasPrefix(beginning) }
            }
            #expect(try health("channel code:stage has no code: /nowhere/code"))
            #expect(try health("channel code:stage needs its code"))
            try node.ask(JoinRequest(channel: Self.stage, code: Self.code))
            #expect(try !health("channel code:stage needs its code"))
            try node.stop()
        }
        try await node.ended()
    }

    @Test("a code is kept through a start without its channel: join needs it no more, and part forgets it")
    func keptCode() async throws {
        let bench = try NodeBench()
        let first = try await bench.start("a", [.input: "null"])
        try await NodeBench.onThread {
            try first.ask(JoinRequest(channel: Self.stage, code: Self.code, levelDb: -6))
            try first.stop()
        }
        try await first.ended()
        for isForgotten in [false, true] {
            let node = try await bench.start("a", [.input: "null", .channel: "main"])
            try await NodeBench.onThread {
                let kept = try node.ask(ChannelsRequest()).row(Self.stage)
                #expect(kept?.joined == false && kept?.hasCode == true)
                if isForgotten {
                    #expect(try node.ask(PartRequest(channel: Self.stage)).row(Self.stage) == nil)
                    #expect(throws: ControlClientError.self) { try node.ask(PartRequest(channel: Self.stage)) }
                    #expect(throws: ControlClientError.self) { try node.ask(JoinRequest(channel: Self.stage)) }
                } else {
                    #expect(try node.ask(JoinRequest(channel: Self.stage)).row(Self.stage)?.joined == true)
                }
                try node.stop()
            }
            try await node.ended()
        }
    }
}

extension ChannelsDocument {
    fileprivate func row(_ name: String) -> Channel? { channels.first { $0.name == name } }
}
