import Channels
import ControlPlane
import NodeRuntime
import Primitives
import Testing
import Wire

@Suite("the tone of calls that wait")
struct CallToneTests {
    /// What ends the tone of a call.
    enum End: CaseIterable {
        case accepted, declined, withdrawn, expired, doNotDisturb
    }

    private static let slot = PeerSlot(index: 0)
    private static let caller = NodeID(words: (1, 0, 0, 0))

    private static func at(_ seconds: Int64) -> Instant { .zero + .seconds(100 + seconds) }

    /// The calls of a node to which a peer makes a call for each element, urgent or not, all open for 30 s.
    private static func calls(urgent: [Bool]) -> Calls {
        var calls = Calls(of: NodeID(words: (2, 0, 0, 0)), grants: CallGrants(), listened: [], seed: 1)
        calls.handle(.peerUp(slot, caller), now: at(0))
        for (number, isUrgent) in urgent.enumerated() {
            let frame = CallFrame(
                id: CallID(number: UInt64(number)), target: .receiver, text: SafeText(""), expiresMilliseconds: 30_000,
                isUrgent: isUrgent)
            calls.handle(.message(.call(frame), from: slot), now: at(0))
        }
        return calls
    }

    private static func end(_ calls: inout Calls, by end: End) throws {
        let key = calls.incoming[0].key
        switch end {
        case .accepted, .declined: _ = try calls.perform(.answer(key, isAccepted: end == .accepted), now: at(12))
        case .withdrawn: calls.handle(.message(.answer(key.id, .withdrawn), from: slot), now: at(12))
        case .expired: calls.handle(.deadline, now: at(30))
        case .doNotDisturb: _ = try calls.perform(.setDoNotDisturb(true), now: at(12))
        }
    }

    @Test(
        "it sounds every five seconds until the call is answered or over, or nobody may disturb",
        arguments: End.allCases)
    func repeats(end: End) throws {
        var calls = Self.calls(urgent: [false])
        var tone = CallTone()
        tone.recordSounded(now: Self.at(0))
        func due(_ seconds: Int64) -> Tone? {
            tone.due(of: calls.incoming, isQuiet: calls.isQuiet, wanted: Tone.standard, now: Self.at(seconds))
        }
        let waiting = [4, 5, 9, 10].map { due($0) }
        #expect(waiting == [nil, .call, nil, .call])
        try Self.end(&calls, by: end)
        #expect(due(31) == nil)
    }

    @Test("an urgent call sounds before others, and under do-not-disturb; an unwanted tone does not sound")
    func urgent() throws {
        var calls = Self.calls(urgent: [false, true])
        func due(_ wanted: [Tone]) -> Tone? {
            var tone = CallTone()
            return tone.due(of: calls.incoming, isQuiet: calls.isQuiet, wanted: wanted, now: Self.at(10))
        }
        let wishes: [[Tone]] = [Tone.standard, [.call], [.urgent], [.busy], []]
        #expect(wishes.map { due($0) } == [.urgent, .call, .urgent, nil, nil])
        _ = try calls.perform(.setDoNotDisturb(true), now: Self.at(1))
        #expect(wishes.map { due($0) } == [.urgent, nil, .urgent, nil, nil])
    }
}

/// Whole nodes of which one calls the other.
@Suite("the tone of a call in a node", .serialized, .timeLimit(.minutes(1)))
struct CallToneNodeTests {
    @Test("the tone of a call that nobody answers is heard again")
    func again() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null"])
        let b = try await bench.start("b", [.input: "null"], peer: a)
        try await NodeBench.onThread {
            for node in [a, b] { try node.awaitStatus("linked") { $0.mesh.linksUp == 1 } }
            // Before its device runs, a node plays into nothing.
            try b.awaitStatus("the output runs") { $0.audio.state == "running" }
            try a.ask(CallMakeRequest(peer: "b"))
            for turn in ["at once", "again"] {
                try b.awaitStatus("the tone, \(turn)") { -40 < $0.audio.levelOutDbfs ?? -100 }
                try b.awaitStatus("silence after it, \(turn)") { $0.audio.levelOutDbfs ?? 0 < -60 }
            }
            for node in [a, b] { try node.stop() }
        }
        for node in [a, b] { try await node.ended() }
    }
}
