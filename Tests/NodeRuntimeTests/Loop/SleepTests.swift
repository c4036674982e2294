import ControlPlane
import NodeRuntime
import Primitives
import Synchronization
import Testing

/// Whole nodes, whose clock of the time asleep a test sets.
@Suite("A node whose machine has slept", .serialized, .timeLimit(.minutes(1)))
struct SleepTests {
    @Test("the node handles the sleep before anything else that comes after it")
    func first() async throws {
        let bench = try NodeBench()
        let clock = SleepClock()
        let a = try await bench.start("a", [.input: "null", .talk: "ptt"], asleep: clock)
        try await NodeBench.onThread {
            clock.sleep(for: .seconds(3_600))
            // Nobody hears this key. The node tells so when it has handled the press.
            try a.talk(.press)
            let events = try a.eventsUntilNow()
            let (resumed, pressed) = (events.firstIndex(of: "resumed"), events.firstIndex(of: "talk_unheard"))
            #expect(resumed != nil && resumed ?? 0 < pressed ?? 0, "\(events)")
            #expect(try a.ask(KeysRequest()).keys.first?.down == true, "pressed after the sleep")
            try a.stop()
        }
        try await a.ended()
    }

    @Test(
        "a latched key is up after a sleep, and an open one is still down",
        arguments: [("latch", false), ("open", true)])
    func keys(mode: String, isDown: Bool) async throws {
        let bench = try NodeBench()
        let clock = SleepClock()
        let a = try await bench.start("a", [.input: "null", .talk: mode], asleep: clock)
        try await NodeBench.onThread {
            try a.talk(.press)
            #expect(try a.ask(KeysRequest()).keys.first?.down == true)
            clock.sleep(for: .seconds(1))
            try a.awaitEvent("resumed")
            #expect(try a.ask(KeysRequest()).keys.first?.down == isDown)
            try a.stop()
        }
        try await a.ended()
    }
}

/// Says how long the machine of a node has slept. A test sets it, and the node reads it.
final class SleepClock: Sendable {
    private let nanoseconds = Atomic<Int64>(0)

    var asleep: Interval { Interval(nanoseconds: nanoseconds.load(ordering: .relaxed)) }

    /// As if the machine had slept for `interval` until now.
    func sleep(for interval: Interval) { nanoseconds.wrappingAdd(interval.nanoseconds, ordering: .relaxed) }
}
