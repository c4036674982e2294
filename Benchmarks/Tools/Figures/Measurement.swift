import Foundation

/// What a benchmark found, read from the file that `swift package benchmark --format jmh` writes.
struct Measurement {
    /// Processor time of one turn in the quickest measurement: what other programs leave alone.
    let microseconds: Double
    /// Most heap calls of any measurement, over its turns.
    let heapCalls: Double

    /// By the benchmarks' names.
    static func read(from file: URL) throws -> [String: Measurement] {
        let elements = try JSONDecoder().decode([Element].self, from: Data(contentsOf: file))
        var measurements: [String: Measurement] = [:]
        for element in elements {
            // "package.benchmark.HotPaths.mix_8:_copy"
            let name = element.benchmark.split(separator: ".", maxSplits: 3).last.map(String.init) ?? ""
            guard let time = element.secondaryMetrics["Processor time"]?.scorePercentiles["0.0"],
                let heapCalls = element.secondaryMetrics["Heap calls"]?.scorePercentiles["100.0"],
                let turns = element.secondaryMetrics["Turns"]?.scorePercentiles["50.0"], 0 < turns
            else { continue }
            measurements[name.replacing("_", with: " ")] = Measurement(
                microseconds: time / turns / 1_000, heapCalls: heapCalls / turns)
        }
        return measurements
    }

    private struct Element: Decodable {
        let benchmark: String
        let secondaryMetrics: [String: Metric]
    }

    private struct Metric: Decodable {
        let scorePercentiles: [String: Double]
    }
}
