import Primitives
import Testing
import Voice

@Suite("the clock of a sound card")
struct CardClockTests {
    private let start = Instant(nanoseconds: 7_000_000_000_000)

    /// A clock that has seen `count` periods of 5 ms, each in time.
    private func running(periods count: Int64) -> CardClock {
        var clock = CardClock()
        for period in 1...count {
            _ = clock.update(sampleCount: period * 240, at: start + .milliseconds(5 * period))
        }
        return clock
    }

    @Test("positions and instants convert into each other, before and after the start")
    func inverse() {
        let clock = running(periods: 10)
        for position in [-48_000, -2, -1, 0, 1, 2, 47, 2_400, 48_000 * 3_600] as [Int64] {
            #expect(clock.position(of: clock.instant(of: position)) == position)
        }
        #expect(clock.instant(of: 0) == start)
    }

    @Test("the clock runs from the first update on, which is no jump")
    func first() {
        var clock = CardClock()
        #expect(!clock.isRunning)
        #expect(clock.update(sampleCount: 240, at: start) == 0)
        #expect(clock.isRunning && clock.position(of: start) == 240 && clock.sampleCount == 240)
    }

    @Test("a late wake-up does not move the clock, and an early one does at once")
    func earliest() {
        var clock = running(periods: 100)
        let late = start + .milliseconds(505) + .microseconds(1_900)
        #expect(clock.update(sampleCount: 101 * 240, at: late) == 0)
        // The clock may move by 500 ppm of the 7 ms that have passed: 3.5 µs, a sixth of a sample.
        #expect(abs(clock.position(of: start + .milliseconds(505)) - 101 * 240) <= 1)

        let early = start + .milliseconds(510) - .microseconds(500)
        #expect(clock.update(sampleCount: 102 * 240, at: early) == 0)
        #expect(clock.position(of: early) == 102 * 240)
    }

    @Test("the clock follows a card that is up to 300 ppm fast or slow", arguments: [-300, -50, 0, 50, 300] as [Int64])
    func drift(partsPerMillion: Int64) {
        var clock = CardClock()
        var jumps = 0
        var now = start
        for period in 1...Int64(20_000) {
            now = start + Interval(nanoseconds: period * (5_000_000 + 5 * partsPerMillion))
            if clock.update(sampleCount: period * 240, at: now) != 0 { jumps += 1 }
        }
        #expect(jumps == 0)
        #expect(abs(clock.position(of: now) - 20_000 * 240) <= 1)
    }

    @Test(
        "a stall restarts the clock and reports the jump; a shorter delay is lateness",
        arguments: [(49, false), (51, true), (1_000, true), (100_000, true)] as [(Int64, Bool)])
    func stall(milliseconds: Int64, isStall: Bool) {
        var clock = running(periods: 100)
        let now = start + .milliseconds(505 + milliseconds)
        let before = clock.position(of: now)
        let jumped = clock.update(sampleCount: 101 * 240, at: now)
        #expect(isStall ? abs(jumped + milliseconds * 48) <= 1 : jumped == 0)
        if isStall { #expect(clock.position(of: now) == 101 * 240 && abs(101 * 240 - before - jumped) <= 1) }
    }

    @Test("a card that is suddenly ahead causes a jump")
    func step() {
        var clock = running(periods: 100)
        let jumped = clock.update(sampleCount: 101 * 240 + 480, at: start + .milliseconds(505))
        #expect(abs(jumped - 480) <= 1)
    }

    @Test("the media clock wraps at 32 bits, and the position does not")
    func wrap() {
        var clock = CardClock()
        let wrap = Int64(UInt32.max) + 1
        _ = clock.update(sampleCount: wrap - 240, at: start)
        #expect(clock.sampleTime(at: start) == SampleTime(samples: UInt32(wrap - 240)))
        let later = start + .milliseconds(10) + .microseconds(1)
        #expect(clock.sampleTime(at: later) == SampleTime(samples: 240))
        #expect(clock.position(of: later) == wrap + 240)
        #expect(clock.sampleTime(at: later).distance(after: clock.sampleTime(at: start)) == 480)
    }
}
