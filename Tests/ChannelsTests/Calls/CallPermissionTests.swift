import Channels
import Primitives
import Testing
import Wire

@Suite("what a node lets its peers ask")
struct CallPermissionTests {
    private func call(
        _ number: UInt64, _ target: CallTarget = .receiver, isUrgent: Bool = false
    ) -> CallMessage {
        .call(
            CallFrame(
                id: CallID(number: number), target: target, text: SafeText(""), expiresMilliseconds: 120_000,
                isUrgent: isUrgent))
    }

    private static let all = CallTarget.all
    private static let channel = CallTarget.channel(CallBench.main)

    /// Each row: do-not-disturb, whether calls to all are granted, target, urgent; then the state of the call here
    /// (nil: none is kept), and the answer.
    @Test(
        "do-not-disturb and the permission decide what becomes of a call",
        arguments: [
            (false, true, CallTarget.receiver, false, IncomingCall.State.shown, CallAnswer.shown),
            (false, true, all, false, .shown, .shown),
            (true, true, .receiver, false, .quiet, .declined),
            (true, true, channel, false, .quiet, .declined),
            (true, true, .receiver, true, .shown, .shown),
            (false, false, all, true, nil, .declined),
            (false, false, channel, false, .shown, .shown),
            (true, false, all, true, nil, .declined),
        ] as [(Bool, Bool, CallTarget, Bool, IncomingCall.State?, CallAnswer)])
    func table(
        isQuiet: Bool, isGranted: Bool, target: CallTarget, isUrgent: Bool, state: IncomingCall.State?,
        answer: CallAnswer
    ) throws {
        let bench = CallBench(grants: CallGrants(callAll: isGranted ? .anyone : .nobody))
        try bench.perform(1, .setDoNotDisturb(isQuiet))
        bench.inject(call(5, target, isUrgent: isUrgent), from: 0, to: 1)
        #expect(bench.nodes[1].incoming.map(\.state) == (state.map { [$0] } ?? []))
        #expect(bench.sent.map(\.message) == [.answer(CallID(number: 5), answer)])
        #expect(bench.shown(at: 1).isEmpty == (state != .shown))
        #expect(bench.nodes[1].counters[.callsNotGranted] == (isGranted ? 0 : target == .all ? 1 : 0))
    }

    @Test("a call on a channel to which this node does not listen is dropped, and the channel may be joined later")
    func offChannel() {
        let bench = CallBench()
        bench.inject(call(5, .channel(CallBench.side)), from: 0, to: 2)
        #expect(bench.events[2].isEmpty && bench.sent.isEmpty)
        #expect(bench.nodes[2].counters[.callsOffChannel] == 1)
        bench.input(2, .listens([CallBench.main, CallBench.side]))
        bench.inject(call(6, .channel(CallBench.side)), from: 0, to: 2)
        #expect(bench.shown(at: 2).count == 1)
    }

    @Test("a peer makes six calls at once and then one in ten seconds; the calls of others pass")
    func allowance() {
        let bench = CallBench()
        for number in 0..<50 { bench.inject(call(UInt64(number)), from: 0, to: 1) }
        #expect(bench.shown(at: 1).count == CallLimits.callsBurst)
        #expect(bench.nodes[1].counters[.callsOverRate] == 44)
        bench.inject(call(1_000), from: 2, to: 1)
        #expect(bench.shown(at: 1).count == CallLimits.callsBurst + 1)
        bench.drive(for: .seconds(21))
        for number in 100..<150 { bench.inject(call(UInt64(number)), from: 0, to: 1) }
        #expect(bench.shown(at: 1).count == CallLimits.callsBurst + 3)
    }

    @Test("a peer that comes back has no new allowance, and its calls are known")
    func reconnecting() {
        let bench = CallBench()
        for round in 0..<10 {
            bench.inject(call(UInt64(round)), from: 0, to: 1)
            bench.inject(call(0), from: 0, to: 1)
            bench.input(1, .peerDown(CallBench.slot(0)))
            bench.inject(call(900), from: 0, to: 1)
            bench.input(1, .peerUp(CallBench.slot(0), CallBench.id(0)))
        }
        #expect(bench.shown(at: 1).map(\.key.id.number) == Array(0..<UInt64(CallLimits.callsBurst)))
    }

    @Test("calls are kept up to a bound, whoever makes them")
    func bound() {
        let bench = CallBench()
        for peer in 0..<200 {
            let slot = PeerSlot(index: 10 + peer % 40)
            bench.input(1, .peerUp(slot, NodeID(words: (9, UInt64(peer), 0, 0))))
            for number in 0..<6 { bench.input(1, .message(call(UInt64(number)), from: slot)) }
        }
        #expect(bench.nodes[1].incoming.count == CallLimits.incomingMax)
        #expect(bench.nodes[1].counters[.callsOverLimit] == UInt64(200 * 6 - CallLimits.incomingMax))
    }

    @Test("copies of a known call are answered once a second at most")
    func copies() {
        let bench = CallBench()
        for _ in 0..<100 { bench.inject(call(5), from: 0, to: 1) }
        #expect(bench.sent.count == 1)
        bench.drive(for: .seconds(1))
        for _ in 0..<100 { bench.inject(call(5), from: 0, to: 1) }
        #expect(bench.sent.count == 2)
    }
}
