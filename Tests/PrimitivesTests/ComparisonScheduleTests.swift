import Primitives
import Testing

@Suite("When two nodes compare what both should hold alike")
struct ComparisonScheduleTests {
    private let start = Instant.zero + .seconds(1_000)
    private let delay = Interval.milliseconds(600)

    @Test("the first comparison comes soon, and the waits double from 1 s to 60 s while nothing changes")
    func doubling() {
        var schedule = ComparisonSchedule()
        schedule.differ(own: 1, peer: 2, after: delay, now: start)
        #expect(schedule.dueAt == start + delay)
        var now = schedule.dueAt
        var waits: [Interval] = []
        for _ in 0..<9 {
            schedule.sent(own: 1, peer: 2, now: now)
            schedule.differ(own: 1, peer: 2, after: delay, now: now)
            waits.append(schedule.dueAt - now)
            now = schedule.dueAt
        }
        #expect(waits.map { $0.milliseconds / 1_000 } == [1, 2, 4, 8, 16, 32, 60, 60, 60])
    }

    @Test("a changed digest on either side ends the wait")
    func change() {
        for (own, peer) in [(9, 2), (1, 9)] as [(UInt64, UInt64)] {
            var schedule = ComparisonSchedule()
            for second in 0..<4 { schedule.sent(own: 1, peer: 2, now: start + .seconds(Int64(second) * 10)) }
            let now = start + .seconds(31)
            schedule.differ(own: 1, peer: 2, after: delay, now: now)
            #expect(now + .seconds(2) < schedule.dueAt)
            schedule.differ(own: own, peer: peer, after: delay, now: now)
            #expect(schedule.dueAt == now + delay)
        }
    }

    @Test("a new session compares at once; after its end nothing is due")
    func ends() {
        var schedule = ComparisonSchedule()
        schedule.sent(own: 1, peer: 2, now: start)
        schedule.begin(now: start)
        #expect(schedule.dueAt == start)
        schedule.cancel()
        #expect(schedule.dueAt == .distantFuture)
    }

    @Test("a comparison that goes on waits only for the interval since the last one")
    func goOn() {
        var schedule = ComparisonSchedule()
        schedule.goOn(now: start)
        #expect(schedule.dueAt == start)
        for _ in 0..<4 { schedule.sent(own: 1, peer: 2, now: start) }
        schedule.goOn(now: start + .milliseconds(200))
        #expect(schedule.dueAt == start + .seconds(1))
        schedule.sent(own: 1, peer: 2, now: start)
        schedule.goOn(now: start + .seconds(3))
        #expect(schedule.dueAt == start + .seconds(3))
    }

    @Test(
        "a comparison comes the delay after a difference, and at least a second after the last one",
        arguments: [
            (0, 1_000), (399, 1_000), (400, 1_000), (401, 1_001), (900, 1_500),
        ] as [(Int64, Int64)])
    func spacing(_ after: Int64, due: Int64) {
        var schedule = ComparisonSchedule()
        schedule.sent(own: 1, peer: 2, now: start)
        #expect(schedule.sentAt == start && schedule.dueAt == .distantFuture)
        schedule.differ(own: 5, peer: 2, after: delay, now: start + .milliseconds(after))
        #expect(schedule.dueAt == start + .milliseconds(due))
        // An earlier due time stays.
        schedule.differ(own: 5, peer: 2, after: delay, now: start + .milliseconds(after + 300))
        #expect(schedule.dueAt == start + .milliseconds(due))
    }

    @Test("when a comparison has changed a digest, the waits start again at one second")
    func healed() {
        var schedule = ComparisonSchedule()
        for _ in 0..<5 { schedule.sent(own: 1, peer: 2, now: start) }
        schedule.sent(own: 1, peer: 3, now: start)
        schedule.differ(own: 1, peer: 3, after: delay, now: start)
        #expect(schedule.dueAt == start + .seconds(1))
        schedule.sent(own: 1, peer: 3, now: start)
        schedule.differ(own: 1, peer: 3, after: delay, now: start)
        #expect(schedule.dueAt == start + .seconds(2))
    }
}
