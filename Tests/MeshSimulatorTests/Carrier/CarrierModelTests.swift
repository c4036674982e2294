import Mesh
import MeshSimulator
import Primitives
import Testing

@Suite("Stream model")
struct CarrierModelTests {
    @Test("a TCP connect takes one round trip and TLS two, and each side learns the identity of the other")
    func handshake() throws {
        var bench = StreamBench()
        bench.dial(7, from: 0, to: 1, expecting: 1)
        bench.run(for: .seconds(1))
        try #require(bench.words.count == 2)
        guard case .carrierOpened(_, let dialler, nil, _) = bench.words[0].input,
            case .carrierOpened(_, let acceptor, let dial, let remote) = bench.words[1].input
        else {
            Issue.record("not opened on both sides")
            return
        }
        #expect(dialler == bench.network.hosts[0].node)
        #expect(acceptor == bench.network.hosts[1].node)
        #expect(dial == DialID(number: 7))
        #expect(remote == bench.network.hosts[1].endpoint)
        #expect(bench.words[0].at == .zero + .milliseconds(25))
        #expect(bench.words[1].at == .zero + .milliseconds(30))
    }

    @Test("another identity at the address fails the dial, and the other side never opens")
    func otherIdentity() {
        var bench = StreamBench()
        bench.dial(1, from: 0, to: 1, expecting: 2)
        bench.run(for: .seconds(10))
        #expect(bench.dialFailure(at: 0)?.failure == .otherIdentity)
        #expect(bench.opened(at: 1) == nil)
        #expect(bench.model.streamCount == 0)
    }

    @Test("a host without the process refuses after one round trip")
    func refused() {
        var bench = StreamBench()
        bench.network.hosts[1].isListening = false
        bench.dial(1, from: 0, to: 1)
        bench.run(for: .seconds(10))
        #expect(bench.dialFailure(at: 0)?.failure == .refused)
        #expect(bench.dialFailure(at: 0)?.at == .zero + .milliseconds(10))
    }

    @Test("a host without power is unreachable, after address resolution has given up")
    func unreachable() {
        var bench = StreamBench()
        bench.network.hosts[1].isPowered = false
        bench.dial(1, from: 0, to: 1)
        bench.run(for: .seconds(10))
        #expect(bench.dialFailure(at: 0)?.failure == .unreachable)
        #expect(bench.dialFailure(at: 0)?.at == Instant.zero + SimLimits.resolutionTimeout)
    }

    @Test("without a network the dial fails at once")
    func offline() {
        var bench = StreamBench()
        bench.network.hosts[0].isOnline = false
        bench.dial(1, from: 0, to: 1)
        bench.run(for: .zero)
        #expect(bench.dialFailure(at: 0)?.failure == .unreachable)
    }

    @Test("a dial of the own address fails as such")
    func own() {
        var bench = StreamBench()
        bench.dial(1, from: 0, to: 0)
        bench.run(for: .zero)
        #expect(bench.dialFailure(at: 0)?.failure == .own)
    }

    @Test("a cut path makes a dial time out", arguments: [(0, 1), (1, 0)])
    func timedOut(from: Int, to: Int) {
        var bench = StreamBench()
        bench.network.cut(from: from, to: to)
        bench.dial(1, from: 0, to: 1)
        bench.run(for: .seconds(10))
        #expect(bench.dialFailure(at: 0)?.failure == .timedOut)
        #expect(bench.dialFailure(at: 0)?.at == Instant.zero + SimLimits.dialTimeout)
        #expect(bench.model.streamCount == 0)
    }

    @Test("a cancelled dial reports nothing more", arguments: [0, 7, 12, 22] as [Int64])
    func cancelled(afterMilliseconds: Int64) {
        var bench = StreamBench()
        bench.dial(1, from: 0, to: 1)
        bench.run(for: .milliseconds(afterMilliseconds))
        bench.model.cancelDial(DialID(number: 1), of: 0, network: &bench.network, now: bench.now)
        bench.run(for: .seconds(20))
        #expect(bench.words.allSatisfy { $0.host == 1 })
        #expect(bench.model.streamCount == 0)
    }

    @Test("frames arrive in order and once each, although segments are lost")
    func orderedUnderLoss() throws {
        var bench = StreamBench()
        let opened = bench.connect()
        let carriers = try #require(opened)
        bench.network.setAllRules(
            LinkRule(delayMin: .milliseconds(1), delayMean: .milliseconds(20), lossPermille: 200))
        for number in 0..<200 {
            bench.send([UInt8(number)], on: carriers.dialler, of: 0)
            bench.run(for: .milliseconds(10))
        }
        bench.run(for: .seconds(60))
        #expect(bench.frames(at: 1) == (0..<200).map { [UInt8($0)] })
    }

    @Test("a lost segment holds back later ones until its retransmission")
    func headOfLine() throws {
        var bench = StreamBench()
        let opened = bench.connect()
        let carriers = try #require(opened)
        bench.network.cut(from: 0, to: 1)
        bench.send([1], on: carriers.dialler, of: 0)
        bench.network.mend(from: 0, to: 1)
        bench.send([2], on: carriers.dialler, of: 0)
        bench.run(for: .milliseconds(150))
        #expect(bench.frames(at: 1).isEmpty)
        bench.run(for: .milliseconds(100))
        #expect(bench.frames(at: 1) == [[1], [2]])
    }

    @Test("retransmissions back off: after two seconds of outage the stream continues after about three")
    func backoff() throws {
        var bench = StreamBench()
        let opened = bench.connect()
        let carriers = try #require(opened)
        let start = bench.now
        bench.network.cut(from: 0, to: 1)
        bench.send([1], on: carriers.dialler, of: 0)
        bench.run(for: .seconds(2))
        bench.network.mend(from: 0, to: 1)
        bench.run(for: .seconds(2))
        let arrival = try #require(bench.words.first { $0.host == 1 }).at - start
        #expect(.milliseconds(2_900) < arrival && arrival < .milliseconds(3_200))
    }

    @Test("data without an acknowledgement ends the sender's side after the user time-out, and only that side")
    func halfOpen() throws {
        var bench = StreamBench()
        let opened = bench.connect()
        let carriers = try #require(opened)
        let start = bench.now
        bench.network.cut(from: 0, to: 1)
        bench.network.cut(from: 1, to: 0)
        bench.send([1], on: carriers.dialler, of: 0)
        bench.run(for: .seconds(30))
        #expect(bench.closed(at: 0)?.end == .timedOut)
        #expect(bench.closed(at: 0)?.at == start + SimLimits.userTimeout)
        #expect(bench.closed(at: 1) == nil)
        bench.network.mendAll()
        bench.send([2], on: carriers.acceptor, of: 1)
        bench.run(for: .seconds(1))
        #expect(bench.closed(at: 1)?.end == .reset)
    }

    @Test("if only acknowledgements are lost, data arrives once and the sender gives up")
    func lostAcknowledgements() throws {
        var bench = StreamBench()
        let opened = bench.connect()
        let carriers = try #require(opened)
        bench.network.cut(from: 1, to: 0)
        bench.send([1], on: carriers.dialler, of: 0)
        bench.run(for: .seconds(10))
        #expect(bench.frames(at: 1) == [[1]])
        #expect(bench.closed(at: 0)?.end == .timedOut)
    }

    @Test("a killed process resets its connections, and a machine that vanishes sends nothing")
    func crash() throws {
        var killed = StreamBench()
        let killedCarriers = killed.connect()
        #expect(killedCarriers != nil)
        killed.endProcess(1, silently: false)
        killed.run(for: .seconds(1))
        #expect(killed.closed(at: 0)?.end == .reset)

        var vanished = StreamBench()
        let opened = vanished.connect()
        let carriers = try #require(opened)
        vanished.endProcess(1, silently: true)
        vanished.run(for: .seconds(60))
        #expect(vanished.closed(at: 0) == nil)
        vanished.send([1], on: carriers.dialler, of: 0)
        vanished.run(for: .seconds(60))
        #expect(vanished.closed(at: 0)?.end == .timedOut)
    }

    @Test("a restarted process does not know the connections of its earlier life")
    func restarted() throws {
        var bench = StreamBench()
        let opened = bench.connect()
        let carriers = try #require(opened)
        bench.endProcess(1, silently: true)
        bench.network.hosts[1].isPowered = true
        bench.network.hosts[1].isListening = true
        bench.send([1], on: carriers.dialler, of: 0)
        bench.run(for: .seconds(1))
        #expect(bench.closed(at: 0)?.end == .reset)
        #expect(bench.frames(at: 1).isEmpty)
    }

    @Test("a close delivers the frames sent before it, and then the end")
    func graceful() throws {
        var bench = StreamBench()
        let opened = bench.connect()
        let carriers = try #require(opened)
        bench.send([1], on: carriers.dialler, of: 0)
        bench.send([2], on: carriers.dialler, of: 0)
        bench.close(carriers.dialler, of: 0)
        bench.send([3], on: carriers.dialler, of: 0)
        bench.run(for: .seconds(1))
        #expect(bench.frames(at: 1) == [[1], [2]])
        #expect(bench.closed(at: 1)?.end == .closed)
        #expect(bench.closed(at: 0) == nil)
        #expect(bench.model.streamCount == 0)
    }

    @Test("a full queue that is not emptied overflows")
    func backPressure() throws {
        var bench = StreamBench()
        let opened = bench.connect()
        let carriers = try #require(opened)
        bench.network.cut(from: 0, to: 1)
        let frame = [UInt8](repeating: 1, count: 60_000)
        for _ in 0..<4 { bench.send(frame, on: carriers.dialler, of: 0) }
        #expect(bench.closed(at: 0) == nil)
        bench.send(frame, on: carriers.dialler, of: 0)
        #expect(bench.closed(at: 0)?.end == .overflow)
    }

    @Test("voice that has waited too long in the queue is dropped, and other frames are not")
    func oldVoice() throws {
        var bench = StreamBench()
        let opened = bench.connect()
        let carriers = try #require(opened)
        bench.network.cut(from: 0, to: 1)
        bench.send([1], on: carriers.dialler, of: 0)
        bench.send([2], on: carriers.dialler, of: 0, isVoice: true)
        bench.send([3], on: carriers.dialler, of: 0)
        bench.run(for: .seconds(2))
        bench.network.mend(from: 0, to: 1)
        bench.run(for: .seconds(3))
        #expect(bench.frames(at: 1) == [[1], [3]])
    }

    @Test("if both sides dial at once, each gets a connection")
    func simultaneous() {
        var bench = StreamBench()
        bench.dial(1, from: 0, to: 1)
        bench.dial(1, from: 1, to: 0)
        bench.run(for: .seconds(1))
        #expect(bench.words.count == 4)
        #expect(bench.model.streamCount == 2)
    }

    @Test("a connection delivers unless bytes have waited since before an instant to be sent again")
    func delivering() throws {
        var bench = StreamBench()
        func delivers(_ bench: StreamBench, since instant: Instant) -> Bool {
            let there = bench.model.delivers(between: 0, and: 1, since: instant)
            #expect(there == bench.model.delivers(between: 1, and: 0, since: instant))
            return there
        }
        #expect(!delivers(bench, since: .zero))
        let opened = bench.connect()
        let carrier = try #require(opened).dialler
        #expect(delivers(bench, since: bench.now) && !bench.model.delivers(between: 0, and: 2, since: bench.now))
        bench.network.cut(from: 0, to: 1)
        bench.send([1], on: carrier, of: 0)
        let cutAt = bench.now
        bench.run(for: .seconds(1))
        #expect(!delivers(bench, since: bench.now))
        #expect(delivers(bench, since: cutAt), "they have not waited before")
        bench.network.mend(from: 0, to: 1)
        bench.run(for: .seconds(2))
        #expect(delivers(bench, since: bench.now))
        bench.close(carrier, of: 0)
        #expect(!delivers(bench, since: bench.now), "one end is closed")
    }

    @Test("a connection flows since it opened, while nothing waits to be sent again and both addresses stay")
    func flowing() throws {
        var bench = StreamBench()
        func flowsSince(_ bench: StreamBench) -> Instant? {
            bench.model.flowsSince(from: 0, to: 1, over: bench.network)
        }
        #expect(flowsSince(bench) == nil)
        let opened = bench.connect()
        let carrier = try #require(opened).dialler
        let openedAt = try #require(flowsSince(bench))
        bench.network.cut(from: 0, to: 1)
        bench.send([1], on: carrier, of: 0)
        #expect(flowsSince(bench) == nil)
        bench.network.mend(from: 0, to: 1)
        bench.run(for: .seconds(2))
        let flowsAgain = try #require(flowsSince(bench))
        #expect(openedAt < flowsAgain)
        bench.network.hosts[0].move(index: 0)
        #expect(flowsSince(bench) == nil, "nothing that is sent from the former address comes back")
    }
}
