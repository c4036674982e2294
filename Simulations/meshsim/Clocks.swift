import Foundation

/// The clocks that the simulator itself never reads, in seconds.
enum Clocks {
    static func wall() -> Double { seconds(CLOCK_MONOTONIC) }

    /// Time that this thread spent on a processor.
    static func processor() -> Double { seconds(CLOCK_THREAD_CPUTIME_ID) }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// The duration of some work: by the wall clock, and on a processor.
struct Cost {
    var wallSeconds = 0.0
    var processorSeconds = 0.0

    mutating func add(_ other: Cost) {
        wallSeconds += other.wallSeconds
        processorSeconds += other.processorSeconds
    }
}

/// Runs something and measures it. The work stays on its thread.
func timed<Result>(_ work: () throws -> Result) rethrows -> (result: Result, cost: Cost) {
    let (wall, processor) = (Clocks.wall(), Clocks.processor())
    let result = try work()
    let cost = Cost(wallSeconds: Clocks.wall() - wall, processorSeconds: Clocks.processor() - processor)
    return (result, cost)
}
