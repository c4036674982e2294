import CLinux
import Dispatch
import Handover
import Primitives
import Testing

@Suite("the event that ends the rest of a thread", .serialized)
struct WakeUpEventTests {
    private let never = Interval.seconds(20)

    private static var now: Instant { Instant(nanoseconds: linux_monotonic_nanoseconds()) }

    /// Rests, and returns the length of the rest.
    private func rest(
        _ wakeUpEvent: WakeUpEvent, atMost limit: Interval, unless isCalled: () -> Bool = { false }
    ) -> Interval {
        let begin = Self.now
        wakeUpEvent.rest(until: begin + limit, unless: isCalled)
        return Self.now - begin
    }

    @Test("a rest without a ring ends in time, even after a ring while the thread was awake")
    func unrung() throws {
        let wakeUpEvent = try WakeUpEvent()
        wakeUpEvent.ring()
        for _ in 0..<2 { #expect(.milliseconds(30) <= rest(wakeUpEvent, atMost: .milliseconds(30))) }
    }

    @Test("a ring between the last check and the sleep ends this rest, and no other")
    func between() throws {
        let wakeUpEvent = try WakeUpEvent()
        let ended = rest(wakeUpEvent, atMost: never) {
            wakeUpEvent.ring()
            return false
        }
        #expect(ended < never)
        #expect(.milliseconds(30) <= rest(wakeUpEvent, atMost: .milliseconds(30)))
    }

    @Test("a ring that is written after the rest ends the next rest, and no other")
    func late() throws {
        let wakeUpEvent = try WakeUpEvent()
        let isResting = DispatchSemaphore(value: 0)
        let (isRaised, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let limit = Self.now + never
        onTwoThreads {
            isResting.wait()
            wakeUpEvent.ring {
                isRaised.signal()
                isOver.wait()
            }
        } and: {
            wakeUpEvent.rest(until: limit) {
                isResting.signal()
                isRaised.wait()
                return true
            }
            isOver.signal()
        }
        #expect(rest(wakeUpEvent, atMost: never) < never)
        #expect(.milliseconds(30) <= rest(wakeUpEvent, atMost: .milliseconds(30)))
    }
}
