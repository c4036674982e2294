import Mesh
import Primitives
import Testing

@Suite("Values behind the verdict that a peer is dead")
struct VerdictValueTests {
    private let start = Instant.zero + .seconds(100)

    @Test("a suspicion lasts 4.5 s if all neighbours lost the peer, 24 s if one hears it, 180 s if none is left")
    func waits() {
        func wait(_ neighbours: Int, _ confirmations: Int, suspects: Int = 1, health: Int64 = 1) -> Interval {
            var suspicion = Suspicion(.silence, since: start)
            suspicion.review(
                neighbours: neighbours, confirmations: confirmations, suspects: suspects, now: start + .seconds(1))
            return suspicion.deadline(healthFactor: health, policy: .standard) - start
        }
        #expect(wait(0, 0) == .milliseconds(4_500) && wait(2, 2) == .milliseconds(4_500))
        #expect(wait(2, 2, health: 5) == .milliseconds(22_500) && wait(2, 2, health: 6) == .seconds(24))
        #expect(wait(2, 1) == .seconds(24) && wait(2, 1, health: 2) == .seconds(48))
        #expect(wait(0, 0, suspects: 2) == .seconds(180) && wait(0, 0, suspects: 2, health: 9) == .seconds(180))
        #expect(wait(1, 1, suspects: 2) == .milliseconds(4_500) && wait(1, 0, suspects: 2) == .seconds(24))
    }

    @Test("a suspicion without neighbours restarts when neighbours are back, and only then")
    func alone() {
        var suspicion = Suspicion(.silence, since: start)
        #expect(suspicion.neighbours == 0 && suspicion.confirmations == 0)
        suspicion.review(neighbours: 0, confirmations: 0, suspects: 2, now: start)
        #expect(suspicion.isAlone && !suspicion.hasLinkedNeighbour)
        #expect(suspicion.deadline(healthFactor: 1, policy: .standard) == start + .seconds(180))
        #expect(suspicion.deadline(healthFactor: 1, policy: .plain(.seconds(5))) == start + .seconds(5))
        // There is still no neighbour: the suspicion does not restart.
        suspicion.review(neighbours: 0, confirmations: 0, suspects: 3, now: start + .seconds(11))
        #expect(suspicion.since == start)
        // Neighbours are back: the suspicion restarts.
        suspicion.review(neighbours: 3, confirmations: 2, suspects: 2, now: start + .seconds(20))
        #expect(suspicion.since == start + .seconds(20) && !suspicion.isAlone)
        #expect(suspicion.neighbours == 3 && suspicion.confirmations == 2 && suspicion.hasLinkedNeighbour)
        suspicion.review(neighbours: 3, confirmations: 3, suspects: 2, now: start + .seconds(21))
        #expect(suspicion.since == start + .seconds(20) && !suspicion.hasLinkedNeighbour)
        suspicion.restart(now: start + .seconds(30))
        #expect(suspicion.deadline(healthFactor: 1, policy: .standard) == start + .milliseconds(34_500))
    }

    @Test("local health worsens by one for each sign, up to eight, and improves by one a second after the last change")
    func health() {
        var health = LocalHealth()
        #expect(health.score == 0 && health.factor == 1)
        let unchanged = health.improve(now: start)
        #expect(!unchanged && health.score == 0)
        for count in 1...9 {
            health.worsen(now: start)
            #expect(health.score == min(count, 8) && health.factor == Int64(min(count, 8) + 1))
        }
        let second = Interval.seconds(1)
        let tooSoon = health.improve(now: start + second - Interval(nanoseconds: 1))
        let first = health.improve(now: start + second)
        let again = health.improve(now: start + second * 2 - Interval(nanoseconds: 1))
        #expect(!tooSoon && first && !again && health.score == 7)
        let next = health.improve(now: start + second * 2)
        #expect(next && health.score == 6)
        health.worsen(now: start + second * 3)
        let afterSign = health.improve(now: start + second * 4 - Interval(nanoseconds: 1))
        #expect(!afterSign && health.score == 7)
        for count: Int64 in 4...20 { _ = health.improve(now: start + second * count) }
        #expect(health.score == 0)
    }
}

@Suite("The penalty of a flapping link")
struct FlapPenaltyTests {
    private let start = Instant.zero + .seconds(100)
    private func at(_ milliseconds: Int64) -> Instant { start + .milliseconds(milliseconds) }

    private func flapped(_ count: Int) -> FlapDamping {
        var flaps = FlapDamping()
        for _ in 0..<count { flaps.flap(now: start) }
        return flaps
    }

    @Test("each flap adds 1,000, up to 6,000")
    func adds() {
        #expect(
            (0...7).map { flapped($0).current(now: start) } == [0, 1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 6_000])
        #expect((0...4).map { flapped($0).isDamped } == [false, false, false, true, true])
    }

    @Test(
        "the penalty halves in 20 s, falls linearly in between, and decays to zero",
        arguments: [
            (0, 6_000), (5_000, 5_250), (10_000, 4_500), (20_000, 3_000), (30_000, 2_250), (40_000, 1_500),
            (60_000, 750), (200_000, 5), (640_000, 0), (10_000_000, 0),
        ] as [(Int64, Int64)])
    func halves(milliseconds: Int64, penalty: Int64) {
        #expect(flapped(6).current(now: at(milliseconds)) == penalty)
    }

    @Test("a penalty of 2,200 is not damped, and 2,201 is")
    func suppress() {
        for (wait, isDamped) in [(Interval.seconds(8), false), (.seconds(8) - .microseconds(1), true)] {
            var flaps = flapped(1)
            flaps.flap(now: at(20_000))
            #expect(flaps.current(now: at(20_000)) == 1_500)
            flaps.flap(now: at(20_000) + wait)
            #expect(flaps.isDamped == isDamped)
            #expect(flaps.current(now: at(20_000) + wait) == (isDamped ? 2_201 : 2_200))
        }
    }

    @Test("a link is calm at a penalty of 750, which is reported once; the time of the calm is known before")
    func calm() {
        var flaps = flapped(3)
        #expect(flaps.calmAt == at(40_000))
        let early = flaps.settle(now: at(40_000) - .microseconds(1))
        #expect(!early && flaps.isDamped)
        let settled = flaps.settle(now: at(40_000))
        let again = flaps.settle(now: at(40_000))
        #expect(settled && !again && !flaps.isDamped && flaps.calmAt == .distantFuture)
        var steady = flapped(2)
        let nothing = steady.settle(now: at(100_000))
        #expect(!nothing && steady.calmAt == .distantFuture)
    }
}
