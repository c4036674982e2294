import Benchmark
import CAllocationCount
import Foundation

/// Something that is measured: prepared, then run many times in a row.
protocol HotPath: AnyObject {
    /// Turns in one measurement.
    var turns: Int { get }
    /// Makes ready what the next measurement uses up. Not measured.
    func refill()
    /// Measured.
    func turn()
}

extension HotPath {
    func refill() {}
}

extension BenchmarkMetric {
    /// Turns in one measurement: what the time and the heap calls are divided by.
    static let turns = BenchmarkMetric.custom("Turns", polarity: .prefersLarger, useScalingFactor: false)
    /// Nanoseconds that this thread had a processor: what else the machine does matters less than
    /// to the wall clock.
    static let processorTime = BenchmarkMetric.custom("Processor time", useScalingFactor: false)
    /// Calls of malloc, its kin and free, by whatever library.
    static let heapCalls = BenchmarkMetric.custom("Heap calls", useScalingFactor: false)
}

/// Registers a benchmark; `Figures` knows it by `name`.
func measure<Path: HotPath>(_ name: String, _ make: @escaping () throws -> Path) {
    Benchmark(
        name,
        configuration: .init(
            // Throughput is what the JMH export asks for.
            metrics: [.throughput, .turns, .processorTime, .heapCalls], warmupIterations: 3, maxDuration: .seconds(1)),
        closure: { (benchmark: Benchmark, path: Path) in
            path.refill()
            let turns = path.turns
            benchmark.startMeasurement()
            let start = (time: processorTime(), heap: allocation_count_of_this_thread())
            for _ in 0..<turns { path.turn() }
            let end = (time: processorTime(), heap: allocation_count_of_this_thread())
            benchmark.stopMeasurement()
            benchmark.measurement(.turns, turns)
            benchmark.measurement(.processorTime, end.time - start.time)
            benchmark.measurement(.heapCalls, Int(end.heap - start.heap))
        },
        setup: { try make() })
}

private func processorTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}
