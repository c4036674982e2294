import Channels
import Primitives
import Testing
import Wire

@Suite("the request to close a microphone")
struct MicrophoneRequestTests {
    @Test(
        "all who listen to the channel are told; the subject obeys unless it has refused that to everybody",
        arguments: [Grant.anyone, .nobody, .nodes([CallBench.id(0)]), .nodes([CallBench.id(2)])])
    func request(grant: Grant) throws {
        let bench = CallBench(grants: CallGrants(closeMicrophone: grant))
        let isGranted = grant == .anyone || grant == .nodes([CallBench.id(0)])
        try bench.perform(0, .askToClose(CallBench.id(1), on: CallBench.main))
        bench.drive(for: .milliseconds(10))
        #expect(
            bench.events[1] == [.closeOrdered(by: CallBench.id(0), on: CallBench.main, isGranted: isGranted)])
        #expect(bench.events[2] == [.closeAsked(by: CallBench.id(0), of: CallBench.id(1), on: CallBench.main)])
        #expect(bench.events[0] == [.closeAnswered(by: CallBench.id(1), isObeyed: isGranted)])
        bench.drive(for: .seconds(20))
        #expect(bench.events[0].count == 1)
    }

    @Test("a channel that one of both does not listen to carries no request")
    func offChannel() {
        let bench = CallBench()
        #expect(throws: CallRefusal.notOnChannel) {
            try bench.perform(1, .askToClose(CallBench.id(0), on: CallBench.side))
        }
        #expect(throws: CallRefusal.notOnChannel) {
            try bench.perform(0, .askToClose(CallBench.id(1), on: CallBench.side))
        }
        #expect(throws: CallRefusal.notLinked) {
            try bench.perform(0, .askToClose(CallBench.id(9), on: CallBench.main))
        }
        let forged = RequestFrame(id: CallID(number: 1), channel: CallBench.side, subject: CallBench.id(1))
        bench.inject(.request(forged), from: 0, to: 1)
        #expect(bench.events[1].isEmpty)
        #expect(bench.nodes[1].counters[.callsOffChannel] == 1)
    }

    @Test("a peer makes one request to a node in ten seconds, and eight that the node only shows")
    func allowance() {
        let bench = CallBench()
        for (subject, most) in [(1, 1), (2, CallLimits.requestsMax)] {
            let (events, dropped) = (bench.events[1].count, bench.nodes[1].counters[.callsOverRate])
            for number in 0..<20 {
                let request = RequestFrame(
                    id: CallID(number: UInt64(number)), channel: CallBench.main, subject: CallBench.id(subject))
                bench.inject(.request(request), from: 0, to: 1)
            }
            #expect(bench.events[1].count - events == most)
            #expect(bench.nodes[1].counters[.callsOverRate] - dropped == UInt64(20 - most))
        }
    }

    @Test("two microphones are closed one after the other, although each node is shown both requests")
    func twoSubjects() throws {
        let bench = CallBench()
        for subject in [1, 2] {
            _ = try bench.perform(0, .askToClose(CallBench.id(subject), on: CallBench.main))
            bench.drive(for: .seconds(1))
        }
        #expect(bench.nodes.allSatisfy { $0.counters[.callsOverRate] == 0 })
        let answers = bench.events[0].filter { if case .closeAnswered = $0 { true } else { false } }
        #expect(answers.count == 2)
    }

    @Test("without an answer in ten seconds the asker is told; the answer of another node is none")
    func silence() throws {
        let bench = CallBench()
        bench.drops = { if case .request = $0 { true } else { false } }
        let id = try #require(try bench.perform(0, .askToClose(CallBench.id(1), on: CallBench.main)))
        bench.inject(.answer(id, .accepted), from: 2, to: 0)
        #expect(bench.events[0].isEmpty && bench.nodes[0].counters[.callAnswersUnknown] == 1)
        bench.drive(for: .seconds(10))
        #expect(bench.events[0] == [.closeAnswered(by: CallBench.id(1), isObeyed: nil)])
        bench.inject(.answer(id, .accepted), from: 1, to: 0)
        #expect(bench.events[0].count == 1 && bench.nodes[0].counters[.callAnswersUnknown] == 2)
    }

    @Test("a second request that its subject would drop is refused with the time to wait, and shown to nobody")
    func ownRate() throws {
        let bench = CallBench()
        try bench.perform(0, .askToClose(CallBench.id(1), on: CallBench.main))
        bench.drive(for: .seconds(6))
        let events = bench.events.map(\.count)
        #expect(throws: CallRefusal.tooSoon(wait: .seconds(5))) {
            try bench.perform(0, .askToClose(CallBench.id(1), on: CallBench.main))
        }
        bench.drive(for: .seconds(5))
        #expect(bench.events.map(\.count) == events)
        try bench.perform(0, .askToClose(CallBench.id(1), on: CallBench.main))
        bench.drive(for: .milliseconds(10))
        #expect(bench.events[0].last == .closeAnswered(by: CallBench.id(1), isObeyed: true))
        #expect(bench.nodes.allSatisfy { $0.counters[.callsOverRate] == 0 })
    }

    @Test("as many requests wait as the bound says")
    func bound() throws {
        let bench = CallBench(
            listened: Array(repeating: [CallBench.main], count: CallLimits.requestsMax + 2))
        bench.drops = { _ in true }
        for subject in 1...CallLimits.requestsMax {
            try bench.perform(0, .askToClose(CallBench.id(subject), on: CallBench.main))
        }
        #expect(throws: CallRefusal.full) {
            try bench.perform(0, .askToClose(CallBench.id(CallLimits.requestsMax + 1), on: CallBench.main))
        }
    }
}
