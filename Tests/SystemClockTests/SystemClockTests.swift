import Primitives
import SystemClock
import Testing

@Suite("the system's clock")
struct SystemClockTests {
    @Test("it never runs backwards, and moves")
    func runsOn() {
        let first = Instant.monotonicNow()
        var latest = first
        while latest == first {
            let next = Instant.monotonicNow()
            #expect(latest <= next)
            latest = next
        }
    }

    @Test("a sleep ends no sooner than asked, and one into the past at once")
    func sleeps() {
        let start = Instant.monotonicNow()
        sleep(until: start + .milliseconds(5))
        #expect(start + .milliseconds(5) <= .monotonicNow())
        sleep(for: .milliseconds(3))
        #expect(start + .milliseconds(8) <= .monotonicNow())
        let before = Instant.monotonicNow()
        sleep(until: before - .seconds(3_600))
        sleep(until: Instant(nanoseconds: -1))
        #expect(.monotonicNow() < before + .seconds(60))
    }

    @Test("what the machine has slept does not shrink")
    func asleep() {
        let before = Interval.asleepSinceBoot()
        // Two clocks are read one after the other: a reading may be off by the time between.
        #expect(before - .milliseconds(100) <= .asleepSinceBoot())
    }
}
