import Channels
import Primitives
import Testing
import Wire

@Suite("calls")
struct CallTests {
    @Test(
        "a call is shown once at each node for which it is, and nowhere else",
        arguments: [
            (CallOrder.Target.peer(CallBench.id(1)), [0, 1, 0]), (.channel(CallBench.side), [0, 1, 0]),
            (.channel(CallBench.main), [0, 1, 1]), (.all(), [0, 1, 1]),
        ])
    func targets(target: CallOrder.Target, shown: [Int]) throws {
        let bench = CallBench()
        try bench.perform(0, .call(CallOrder(target, text: SafeText("ready?"))))
        bench.drive(for: .seconds(20))
        #expect((0..<3).map { bench.shown(at: $0).count } == shown)
        #expect(bench.answers(at: 0).allSatisfy { $0 == .shown })
    }

    @Test("a call to all leaves out the peers that it excepts, and is refused if there are no others")
    func exceptions() throws {
        let bench = CallBench()
        try bench.perform(0, .call(CallOrder(.all(except: [CallBench.id(1)]))))
        bench.drive(for: .seconds(20))
        #expect((0..<3).map { bench.shown(at: $0).count } == [0, 0, 1])
        #expect(bench.answers(at: 0) == [.shown])
        #expect(throws: CallRefusal.nobody) {
            try bench.perform(0, .call(CallOrder(.all(except: [1, 2].map(CallBench.id)))))
        }
    }

    @Test("nobody to call is said at once", arguments: [CallRefusal.notLinked, .nobody])
    func nobody(refusal: CallRefusal) {
        let bench = CallBench()
        let target: CallOrder.Target =
            refusal == .notLinked ? .peer(CallBench.id(9)) : .channel(ChannelID(high: 3, low: 3))
        #expect(throws: refusal) { try bench.perform(0, .call(CallOrder(target))) }
    }

    @Test("each receiver answers for itself, and only its first final answer counts")
    func answers() throws {
        let bench = CallBench()
        let id = try #require(try bench.perform(0, .call(CallOrder(.all()))))
        let key = CallKey(caller: CallBench.id(0), id: id)
        bench.drive(for: .milliseconds(10))
        try bench.perform(1, .answer(key, isAccepted: true))
        bench.drive(for: .milliseconds(10))
        #expect(bench.answers(at: 0) == [.accepted, .shown])
        #expect(throws: CallRefusal.ended) { try bench.perform(1, .answer(key, isAccepted: false)) }
        bench.inject(.answer(id, .declined), from: 1, to: 0)
        #expect(bench.answers(at: 0) == [.accepted, .shown])
        #expect(bench.nodes[0].counters[.callAnswersLate] == 1)
        try bench.perform(2, .answer(key, isAccepted: false))
        bench.drive(for: .seconds(40))
        #expect(
            bench.events[0] == [
                .answered(id, by: CallBench.id(1), .shown), .answered(id, by: CallBench.id(2), .shown),
                .answered(id, by: CallBench.id(1), .accepted), .answered(id, by: CallBench.id(2), .declined),
            ], "a call that all have answered does not expire")
        #expect(bench.nodes[0].outgoing.isEmpty)
    }

    @Test("a call that nobody answers ends at both ends when its time is over")
    func expiry() throws {
        let bench = CallBench()
        let order = CallOrder(.peer(CallBench.id(1)), expiresMilliseconds: 3_000)
        let id = try #require(try bench.perform(0, .call(order)))
        bench.drive(for: .milliseconds(2_990))
        #expect(bench.nodes[1].incoming.first?.isOpen == true)
        bench.drive(for: .milliseconds(20))
        #expect(bench.events[0].last == .expired(id, waiting: [CallBench.id(1)]))
        #expect(bench.events[1].count == 2)
        guard case .missed(let call) = bench.events[1].last else { return #expect(Bool(false), "not missed") }
        #expect(call.key.id == id)
        #expect(throws: CallRefusal.ended) { try bench.perform(1, .answer(call.key, isAccepted: true)) }
        bench.drive(for: CallLimits.memory)
        #expect(bench.nodes[1].incoming.isEmpty)
        #expect(throws: CallRefusal.unknown) { try bench.perform(1, .answer(call.key, isAccepted: true)) }
    }

    @Test("a withdrawn call ends at all who have not answered, and at nobody else")
    func withdrawal() throws {
        let bench = CallBench()
        let id = try #require(try bench.perform(0, .call(CallOrder(.all()))))
        bench.drive(for: .milliseconds(10))
        try bench.perform(1, .answer(CallKey(caller: CallBench.id(0), id: id), isAccepted: true))
        bench.drive(for: .milliseconds(10))
        try bench.perform(0, .withdraw(id))
        bench.drive(for: .seconds(60))
        #expect(bench.nodes[1].incoming.map(\.state) == [.accepted])
        #expect(bench.nodes[2].incoming.map(\.state) == [.withdrawn])
        #expect(throws: CallRefusal.unknown) { try bench.perform(0, .withdraw(id)) }
        #expect(!bench.events[0].contains(.expired(id, waiting: [])))
    }

    @Test("a call or an answer that is lost with its carrier comes again, and is shown once", arguments: [1, 2, 3])
    func losses(lost: Int) throws {
        let bench = CallBench()
        var left = lost
        bench.drops = { _ in
            left -= 1
            return 0 <= left
        }
        let order = CallOrder(.peer(CallBench.id(1)), expiresMilliseconds: 120_000)
        let id = try #require(try bench.perform(0, .call(order)))
        bench.drive(for: .seconds(15))
        #expect(bench.shown(at: 1).count == 1)
        #expect(bench.answers(at: 0) == [.shown])
        left = 1
        try bench.perform(1, .answer(CallKey(caller: CallBench.id(0), id: id), isAccepted: true))
        bench.drive(for: .seconds(16))
        #expect(bench.answers(at: 0) == [.accepted])
    }

    @Test("a copy that comes after the end of a call is not shown again")
    func lateCopy() throws {
        let bench = CallBench()
        try bench.perform(0, .call(CallOrder(.peer(CallBench.id(1)), expiresMilliseconds: 1_000)))
        let frame = try #require(bench.sent.first?.message)
        for _ in 0..<5 {
            bench.drive(for: .seconds(10))
            bench.inject(frame, from: 0, to: 1)
        }
        #expect(bench.shown(at: 1).count == 1)
        #expect(bench.nodes[1].counters[.callsRepeated] == 5)
    }

    @Test("an answer to an unknown call, or of a node that was not called, is counted and changes nothing")
    func unknownAnswers() throws {
        let bench = CallBench()
        let id = try #require(try bench.perform(0, .call(CallOrder(.peer(CallBench.id(1))))))
        bench.drive(for: .milliseconds(10))
        bench.inject(.answer(id, .accepted), from: 2, to: 0)
        bench.inject(.answer(CallID(number: 7), .accepted), from: 1, to: 0)
        bench.inject(.answer(id, .withdrawn), from: 2, to: 1)
        #expect(bench.answers(at: 0) == [.shown])
        #expect(bench.nodes[0].counters[.callAnswersUnknown] == 2)
        #expect(bench.nodes[1].counters[.callAnswersUnknown] == 1)
        #expect(bench.nodes[1].incoming.map(\.state) == [.shown])
    }

    @Test("a call that its receiver would drop is refused with the time to wait, also an urgent one")
    func ownRate() throws {
        let bench = CallBench()
        let order = CallOrder(.peer(CallBench.id(1)), isUrgent: true)
        for _ in 0..<CallLimits.callsBurst { try bench.perform(0, .call(order)) }
        bench.drive(for: .seconds(4))
        #expect(throws: CallRefusal.tooSoon(wait: .seconds(7))) { try bench.perform(0, .call(order)) }
        bench.drive(for: .seconds(7))
        try bench.perform(0, .call(order))
        bench.drive(for: .milliseconds(10))
        #expect(bench.answers(at: 0) == [.shown])
        // Node 2 takes a call now, and node 1 a copy of it later.
        try bench.perform(0, .call(CallOrder(.all())))
        bench.drive(for: .milliseconds(10))
        #expect(bench.answers(at: 0) == [nil, .shown])
        #expect(throws: CallRefusal.tooSoon(wait: .milliseconds(21_980))) { try bench.perform(0, .call(order)) }
        bench.drive(for: .seconds(15))
        #expect(bench.answers(at: 0) == [.shown, .shown])
    }

    @Test("a seventeenth open call is refused; one that has ended makes room")
    func ownBound() throws {
        let bench = CallBench(listened: Array(repeating: [CallBench.main], count: 4))
        var first: CallID?
        for number in 0..<CallLimits.outgoingMax {
            let id = try bench.perform(0, .call(CallOrder(.peer(CallBench.id(1 + number % 3)))))
            first = first ?? id
        }
        #expect(throws: CallRefusal.full) { try bench.perform(0, .call(CallOrder(.all()))) }
        try bench.perform(0, .withdraw(try #require(first)))
        try bench.perform(0, .call(CallOrder(.all())))
        #expect(bench.nodes[0].outgoing.count == CallLimits.outgoingMax)
    }
}
