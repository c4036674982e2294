import Foundation

/// The distributions that swarms measured: a panel for each, a curve for each swarm.
struct DistributionPlot {
    /// What is read of a swarm's document.
    struct Swarm: Decodable {
        struct Distribution: Decodable {
            var count: UInt64
            /// Seconds.
            var p50: Double?
            var p99: Double?
            var max: Double?
            /// Seconds, and how many are at most that.
            var cdf: [[Double]]

            enum CodingKeys: String, CodingKey {
                case count, cdf
                case p50 = "p50_s"
                case p99 = "p99_s"
                case max = "max_s"
            }
        }

        var schema: String
        var seedsRun: UInt64
        var distributions: [String: Distribution]

        enum CodingKeys: String, CodingKey {
            case schema, distributions
            case seedsRun = "seeds_run"
        }
    }

    let swarms: [(name: String, swarm: Swarm)]

    private static let panels = [
        ("convergence", "Convergence: faults stop → clique"),
        ("detection", "Detection: a process ends → link down"),
        ("repair", "Repair: a lost link can be again → up"),
        ("linking", "Linking: two run and reach each other → up"),
        ("quiet", "Quiet: faults stop → the last invitation"),
    ]
    private static let panelHeight = 264.0

    var document: String {
        let panels = Self.panels.filter { name, _ in swarms.contains { 0 < ($0.swarm.distributions[name]?.count ?? 0) }
        }
        let rows = (panels.count + 1) / 2
        let legendHeight = 18.0 * Double(swarms.count)
        var svg = SVG(width: 1_080, height: 66 + legendHeight + Double(rows) * Self.panelHeight)
        svg.text("How long it took: share of all cases that were done within a time", 24, 28, size: 16, isBold: true)
        for (index, entry) in swarms.enumerated() {
            let y = 50 + 18 * Double(index)
            svg.line(24, y - 4, 50, y - 4, stroke: ink(index), width: 2.5)
            svg.text("\(entry.name), \(entry.swarm.seedsRun) seeds", 58, y)
        }
        for (index, panel) in panels.enumerated() {
            draw(
                panel, left: index % 2 == 0 ? 0 : 540, top: 54 + legendHeight + Double(index / 2) * Self.panelHeight,
                in: &svg)
        }
        return svg.document
    }

    private func ink(_ index: Int) -> String { Ink.series[index % Ink.series.count] }

    private func draw(_ panel: (name: String, title: String), left: Double, top: Double, in svg: inout SVG) {
        let curves = swarms.map { $0.swarm.distributions[panel.name] }
        let values = curves.compactMap { $0 }.flatMap { $0.cdf.map { $0[0] } }.filter { 0 < $0 }
        let least = pow(10, floor(log10(max(values.min() ?? 0.001, 0.000_1))))
        let most = pow(10, ceil(log10(max(values.max() ?? 1, least * 10)) - 1e-9))
        let (frameTop, frameBottom) = (top + 36, top + Self.panelHeight - 52)
        let x = Axis(least, most, at: (left + 60, left + 516), isLogarithmic: true)
        let y = Axis(0, 100, at: (frameBottom, frameTop))
        svg.text(panel.title, left + 60, top + 24, size: 13, isBold: true)
        for value in x.minorTicks { svg.line(x(value), frameTop, x(value), frameBottom, stroke: "#f3f4f6") }
        for tick in x.ticks(about: 0) {
            svg.line(x(tick.value), frameTop, x(tick.value), frameBottom + 4, stroke: Ink.grid)
            svg.text(tick.text, x(tick.value), frameBottom + 18, size: 11, anchor: .middle)
        }
        for tick in y.ticks(about: 4) {
            svg.line(x(least), y(tick.value), x(most), y(tick.value), stroke: Ink.grid)
            svg.text("\(tick.text) %", left + 54, y(tick.value) + 4, size: 11, anchor: .end)
        }
        for (index, curve) in curves.enumerated() {
            guard let curve, 0 < curve.count else { continue }
            svg.path(staircase(curve, x, y, least: least, most: most), stroke: ink(index), width: 2)
        }
        svg.path(
            [
                (x(least), frameTop), (x(least), frameBottom), (x(most), frameBottom), (x(most), frameTop),
                (x(least), frameTop),
            ], stroke: Ink.axis, width: 1)
        svg.text(figures(curves), left + 60, frameBottom + 36, size: 10.5, fill: Ink.faint)
    }

    private func staircase(
        _ curve: Swarm.Distribution, _ x: Axis, _ y: Axis, least: Double, most: Double
    ) -> [(x: Double, y: Double)] {
        var points: [(x: Double, y: Double)] = [(x(least), y(0))]
        for point in curve.cdf where point.count == 2 {
            let share = y(point[1] / Double(curve.count) * 100)
            points.append((x(point[0]), points.last?.y ?? share))
            points.append((x(point[0]), share))
        }
        return points + [(x(most), y(100))]
    }

    private func figures(_ curves: [Swarm.Distribution?]) -> String {
        curves.compactMap { curve in
            curve.map { "n \($0.count): p50 \(seconds($0.p50)), p99 \(seconds($0.p99)), max \(seconds($0.max))" }
        }.prefix(2).joined(separator: "  |  ")
    }

    private func seconds(_ number: Double?) -> String {
        number.map { String(format: $0 < 0.1 ? "%.3f s" : "%.2f s", $0) } ?? "-"
    }
}
