import MeshSimulator
import Primitives

/// The distributions that a swarm measures, each with a text that says when the measured time begins and ends.
struct Spreads {
    var convergence = DurationHistogram()
    var quiet = DurationHistogram()
    var linking = DurationHistogram()
    var repair = DurationHistogram()
    var detection = DurationHistogram()
    /// The latest frame of each talker at each listener.
    var voice = DurationHistogram()
    private var framesSpoken: UInt64 = 0
    private var framesSounded: UInt64 = 0

    mutating func add(_ report: RunReport) {
        if let time = report.convergence { convergence.add(time) }
        if let time = report.quietness { quiet.add(time) }
        report.times.linking.forEach { linking.add($0) }
        report.times.repair.forEach { repair.add($0) }
        report.times.detection.forEach { detection.add($0) }
        for hearing in report.hearings {
            voice.add(hearing.delayMax)
            framesSpoken += UInt64(hearing.spoken)
            framesSounded += UInt64(hearing.sounded)
        }
    }

    private var all: [(name: String, histogram: DurationHistogram, about: String)] {
        [
            ("convergence", convergence, "faults stop → the core is a clique"),
            ("quiet", quiet, "faults stop → the last invitation"),
            ("linking", linking, "two nodes run and reach each other → up"),
            ("repair", repair, "a link is lost, or becomes possible again → up"),
            ("detection", detection, "a process ends → link down at a neighbour"),
        ] + (voice.count == 0 ? [] : [("voice", voice, "at rest: last sample of a frame → it is played, at worst")])
    }

    /// The text for people: a line for each distribution, in seconds.
    var table: String {
        let head = Self.row("", ["count", "p50", "p99", "max"]) + " s"
        let rows = all.map { entry -> String in
            let figures: [String] = quantiles(entry.histogram).map { figure in figure.map(Self.seconds) ?? "-" }
            return Self.row(entry.name, [String(entry.histogram.count)] + figures) + "   " + entry.about
        }
        let heard = "frames       \(framesSounded) of \(framesSpoken) spoken for a listener were played, at rest"
        return ([head] + rows + (voice.count == 0 ? [] : [heard])).joined(separator: "\n")
    }

    private static func row(_ name: String, _ cells: [String]) -> String {
        let padded: [String] = cells.map { cell in String(repeating: " ", count: max(1, 10 - cell.count)) + cell }
        return name.padded(to: 13) + padded.joined()
    }

    /// Every distribution in full: `cdf` has pairs [seconds, number of values up to there].
    var json: JSONText {
        .object(
            all.map { entry -> (String, JSONText) in
                let points = entry.histogram.points.map { point -> JSONText in
                    .list([.precise(point.upTo.asSeconds), .integer(point.count)])
                }
                let count: (String, JSONText) = ("count", .integer(entry.histogram.count))
                return (entry.name, .object([count] + figures(entry.histogram) + [("cdf", .list(points))]))
            })
    }

    /// The figures of the two acts by their short names.
    var flatFields: [(String, JSONText)] {
        figures(convergence).map { ("convergence_" + $0.0, $0.1) } + figures(quiet).map { ("quiet_" + $0.0, $0.1) }
    }

    private func figures(_ histogram: DurationHistogram) -> [(String, JSONText)] {
        zip(["p50_s", "p99_s", "max_s"], quantiles(histogram)).map { key, value -> (String, JSONText) in
            (key, value.map { .decimal($0.asSeconds) } ?? .null)
        }
    }

    private func quantiles(_ histogram: DurationHistogram) -> [Interval?] {
        [histogram.quantile(permille: 500), histogram.quantile(permille: 990), histogram.quantile(permille: 1_000)]
    }

    private static func seconds(_ interval: Interval) -> String {
        let milliseconds = (interval.microseconds + 500) / 1_000
        let fraction = String(milliseconds % 1_000)
        return "\(milliseconds / 1_000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
    }
}
