import MeshSimulator
import Primitives

/// Links up over time, as a share of the clique of all nodes.
struct CliquePlot {
    let plot: RunPlot

    var document: String {
        let (top, bottom) = (96.0, 396.0)
        var svg = plot.paper(height: 470)
        plot.frame(&svg, title: "Links up, of a clique of \(plot.count) nodes", top: top, bottom: bottom)
        let x = plot.timeAxis
        let y = Axis(0, 100, at: (bottom, top))
        for tick in y.ticks(about: 5) {
            svg.line(x(0), y(tick.value), x(plot.end), y(tick.value), stroke: Ink.grid)
            svg.text(tick.text + " %", x(0) - 8, y(tick.value) + 4, anchor: .end)
        }
        let steps = self.steps
        let running = steps.map { (x($0.at), y($0.running)) }
        let up = steps.map { (x($0.at), y($0.up)) }
        svg.path(staircase(running, to: x(plot.end)), stroke: Ink.axis, width: 1.3, dash: "5 3")
        svg.path(staircase(up, to: x(plot.end)), stroke: Ink.series[0], width: 2)
        plot.border(&svg, top: top, bottom: bottom)
        let legend = bottom + 58
        svg.line(x(0), legend - 4, x(0) + 26, legend - 4, stroke: Ink.series[0], width: 2)
        svg.text("up on both sides", x(0) + 32, legend, size: 11)
        svg.line(x(0) + 160, legend - 4, x(0) + 186, legend - 4, stroke: Ink.axis, width: 1.3, dash: "5 3")
        svg.text("both processes run", x(0) + 192, legend, size: 11)
        plot.faultLegend(&svg, x: x(0) + 350, y: legend)
        return svg.document
    }

    private struct Step {
        var at: Double
        /// Pairs in per cent of the clique.
        var up: Double
        var running: Double
    }

    /// A step at each instant at which something changed.
    private var steps: [Step] {
        let record = plot.record
        var events: [(at: Instant, observer: Int, peer: Int, look: Look)] = []
        for (a, b) in plot.pairs {
            for (observer, peer) in [(a, b), (b, a)] {
                events += record.looks(of: observer, at: peer).map { ($0.at, observer, peer, $0.look) }
            }
        }
        events.sort { ($0.at, $0.observer, $0.peer) < ($1.at, $1.observer, $1.peer) }
        var looks = Array(repeating: Look.off, count: plot.count * plot.count)
        let clique = Double(max(1, plot.pairs.count))
        var steps: [Step] = []
        var (up, running) = (0, 0)
        func runs(_ look: Look) -> Bool { look != .off && look != .paused }
        for event in events {
            let (own, other) = (event.observer * plot.count + event.peer, event.peer * plot.count + event.observer)
            if looks[own].isLinked && looks[other].isLinked { up -= 1 }
            if runs(looks[own]) && runs(looks[other]) { running -= 1 }
            looks[own] = event.look
            if looks[own].isLinked && looks[other].isLinked { up += 1 }
            if runs(looks[own]) && runs(looks[other]) { running += 1 }
            let step = Step(
                at: plot.seconds(event.at), up: Double(up) / clique * 100, running: Double(running) / clique * 100)
            if steps.last?.at == step.at { steps[steps.count - 1] = step } else { steps.append(step) }
        }
        return steps
    }

    private func staircase(_ points: [(Double, Double)], to end: Double) -> [(x: Double, y: Double)] {
        var out: [(x: Double, y: Double)] = []
        for (x, y) in points {
            if let last = out.last { out.append((x, last.y)) }
            out.append((x, y))
        }
        if let last = out.last { out.append((end, last.y)) }
        return out
    }
}
