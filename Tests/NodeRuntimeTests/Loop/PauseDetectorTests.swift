import NodeRuntime
import Primitives
import Testing

@Suite("Own pauses")
struct PauseDetectorTests {
    private let start = Instant(nanoseconds: 5_000_000_000)

    @Test("a wake-up that is a little late is no pause")
    func ordinary() {
        var detector = PauseDetector(asleep: .zero)
        detector.willSleep(until: start)
        #expect(detector.wake(now: start + .milliseconds(30), asleep: .zero) == nil)
    }

    @Test("a wake-up that is far too late is a pause")
    func stopped() {
        var detector = PauseDetector(asleep: .zero)
        detector.willSleep(until: start)
        #expect(detector.wake(now: start + .seconds(5), asleep: .zero)?.gap == .seconds(5))
    }

    @Test("a sleep, or a stop of five seconds, releases the keys; a stall of a loaded machine does not")
    func keys() {
        let cases: [(gap: Int64, slept: Int64, isUp: Bool)] = [
            (1_000, 1_000, true), (4_499, 0, false), (4_499, 999, false), (4_500, 0, true), (60_000, 60_000, true),
        ]
        for (gap, slept, isUp) in cases {
            let pause = PauseDetector.Pause(gap: .milliseconds(gap), slept: .milliseconds(slept))
            #expect(pause.releasesKeys == isUp)
        }
    }

    @Test("a suspend is a pause, although the monotonic clock stood still")
    func suspended() {
        var detector = PauseDetector(asleep: .seconds(7))
        detector.willSleep(until: start)
        let sleep = PauseDetector.Pause(gap: .seconds(60), slept: .seconds(60))
        #expect(detector.wake(now: start, asleep: .seconds(67)) == sleep)
        detector.willSleep(until: start + .milliseconds(500))
        // The same sleep is reported once.
        #expect(detector.wake(now: start + .milliseconds(500), asleep: .seconds(67)) == nil)
    }

    @Test("a pause that is noticed before the timer fires is reported once")
    func once() {
        var detector = PauseDetector(asleep: .zero)
        detector.willSleep(until: start)
        #expect(detector.wake(now: start - .milliseconds(400), asleep: .zero) == nil)
        let pause = PauseDetector.Pause(gap: .seconds(65), slept: .seconds(60))
        #expect(detector.wake(now: start + .seconds(5), asleep: .seconds(60)) == pause)
        #expect(detector.wake(now: start + .seconds(5), asleep: .seconds(60)) == nil)
    }

    @Test("two clocks that were not read at one instant show no sleep")
    func apart() {
        var detector = PauseDetector(asleep: .seconds(7))
        detector.willSleep(until: start)
        #expect(detector.wake(now: start, asleep: .seconds(5)) == nil)
        #expect(detector.wake(now: start, asleep: .seconds(7)) == nil)
    }
}
