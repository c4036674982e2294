import Mesh
import Primitives
import Testing

@Suite("Limits of dials, for one attempt and for all")
struct DialLimitTests {
    private let endpoints = (1...3).map { FindingBench.at($0) }
    private func after(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

    @Test("the addresses of one attempt follow each other by 250 ms, or at once after a failed dial")
    func stagger() {
        var plan = DialPlan()
        func fail(_ number: UInt64, at now: Instant) {
            plan.ended(DialID(number: number))
            plan.hasten(now: now)
        }
        #expect(plan.isOver && plan.nextAt == .distantFuture && plan.tunnelsAsked == 0)
        plan.start(endpoints, now: .zero)
        #expect(plan.nextAt == .zero && !plan.hasBegun && !plan.isOver)
        #expect(plan.takeNext(now: .zero) == endpoints[0])
        #expect(plan.nextAt == after(250) && plan.hasBegun)
        for number in 1...2 as ClosedRange<UInt64> { plan.began(DialID(number: number)) }
        fail(1, at: after(100))
        #expect(plan.nextAt == after(100) && plan.inProgress == [DialID(number: 2)])
        #expect(plan.takeNext(now: after(100)) == endpoints[1])
        fail(2, at: after(400))
        #expect(plan.nextAt == after(350) && !plan.isOver)
        #expect(plan.takeNext(now: after(350)) == endpoints[2])
        #expect(plan.nextAt == .distantFuture)
        plan.began(DialID(number: 3))
        #expect(!plan.isOver)
        fail(3, at: after(400))
        #expect(plan.isOver && plan.nextAt == .distantFuture)
        #expect(plan.takeNext(now: after(400)) == nil)
    }

    @Test("the next attempt starts again; one without an address never starts")
    func startAgain() {
        var plan = DialPlan()
        plan.start(endpoints, now: .zero)
        _ = plan.takeNext(now: .zero)
        for number in 1...3 as ClosedRange<UInt64> {
            plan.beganTunnel(DialID(number: number))
            plan.ended(DialID(number: number))
        }
        #expect(plan.tunnelsAsked == 3)
        plan.start([endpoints[2]], now: after(700))
        #expect(plan.waiting == [endpoints[2]] && plan.nextAt == after(700))
        #expect(!plan.hasBegun && plan.tunnelsAsked == 0)
        plan.start([], now: after(800))
        #expect(plan.nextAt == .distantFuture && plan.isOver)
    }

    @Test("when a peer has connected, no further address is dialled, and dials under way go on")
    func somebodyCame() {
        var plan = DialPlan()
        plan.start(endpoints, now: .zero)
        plan.began(DialID(number: 1))
        plan.scheduleTunnel(at: after(1_500))
        plan.stopWaiting()
        #expect(plan.waiting.isEmpty && plan.nextAt == .distantFuture && plan.tunnelAt == .distantFuture)
        #expect(plan.inProgress == [DialID(number: 1)])
    }

    private func begin(_ dialer: inout Dialer, at now: Instant) -> DialID? {
        dialer.begin(endpoints[0], for: .address(0), now: now)
    }

    @Test("eight dials are under way at once, and the ninth waits until one has ended")
    func atOnce() {
        var dialer = Dialer(now: .zero)
        let ids = (0..<8).compactMap { _ in begin(&dialer, at: .zero) }
        #expect(Set(ids).count == 8)
        #expect(dialer.nextStart(now: .zero) == nil)
        #expect(begin(&dialer, at: .zero) == nil)
        let ended = [dialer.end(ids[3]), dialer.end(ids[3])]
        #expect(ended.map { $0?.id } == [ids[3], nil])
        #expect(dialer.nextStart(now: .zero) == .zero)
        #expect(begin(&dialer, at: .zero) != nil)
        // A dial that could not start costs nothing: 64 − 9 of the burst are left.
        for dial in dialer.inProgress { _ = dialer.end(dial.id) }
        var left = 0
        while let id = begin(&dialer, at: .zero) {
            left += 1
            _ = dialer.end(id)
        }
        #expect(left == 55)
        #expect(dialer.nextStart(now: .zero) == after(500))
        #expect(begin(&dialer, at: after(500) - Interval(nanoseconds: 1)) == nil)
        #expect(begin(&dialer, at: after(500)) != nil)
    }

    @Test("first addresses have every second turn, further ones and those from the user one of four each")
    func turns() {
        var dialer = Dialer(now: .zero)
        var turns: [Dialer.Turn] = []
        var known: [Bool] = []
        var heard: [Bool] = []
        var givenToSenders: [Bool] = []
        for _ in 0..<8 {
            turns.append(dialer.turn)
            known.append(dialer.isTurnOfKnown)
            heard.append(dialer.isTurnOfHeard)
            if dialer.turn == .given { givenToSenders.append(dialer.isTurnOfSenders) }
            _ = begin(&dialer, at: .zero)
        }
        #expect(turns == [.first, .further, .first, .given, .first, .further, .first, .given])
        #expect(known == [true, true, false, false, false, false, false, false], "known peers first")
        #expect(heard == [false, false, true, false, false, false, true, false], "peers that gossip alone names later")
        #expect(givenToSenders == [false, true], "addresses of a person and senders in turn")
    }

    @Test("a dial has three seconds, one through a neighbour two, one of a new peer half of that of a known one")
    func deadlines() throws {
        var dialer = Dialer(now: .zero)
        #expect(dialer.nextDeadline == .distantFuture)
        let (one, two) = (PeerSlot(index: 1), PeerSlot(index: 2))
        _ = dialer.begin(endpoints[0], for: .peer(one), now: .zero)
        #expect(dialer.nextDeadline == after(3_000))
        #expect(!dialer.isTunnelInProgress(for: one))
        let opening = dialer.beginTunnel(for: two, now: after(500))
        let tunnel = try #require(opening)
        _ = dialer.begin(endpoints[1], for: .peer(two), now: after(600))
        #expect(dialer.nextDeadline == after(2_500))
        #expect(!dialer.isTunnelInProgress(for: one) && dialer.isTunnelInProgress(for: two))
        _ = dialer.end(tunnel)
        #expect(!dialer.isTunnelInProgress(for: two) && dialer.nextDeadline == after(3_000))
        _ = dialer.begin(endpoints[2], for: .peer(two), isNew: true, now: after(600))
        #expect(dialer.nextDeadline == after(2_100), "the earliest deadline is next")
    }
}
