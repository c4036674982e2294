import MeshSimulator
import Primitives

/// What the two drawings of one run share: the axis of time, the acts, the faults.
struct RunPlot {
    let record: RunRecord
    let subject: String

    private static let left = 92.0
    private static let right = 24.0
    private static let width = 1_080.0

    var end: Double { seconds(record.endedAt) }
    var count: Int { record.names.count }
    /// Unordered pairs, the lower number first.
    var pairs: [(Int, Int)] { (0..<count).flatMap { a in ((a + 1)..<max(count, a + 1)).map { (a, $0) } } }

    func seconds(_ instant: Instant) -> Double { (instant - .zero).asSeconds }

    func paper(height: Double) -> SVG { SVG(width: Self.width, height: height) }

    var timeAxis: Axis { Axis(0, end, at: (Self.left, Self.width - Self.right)) }

    /// Title, shaded first act, marks of faults above the frame, the axis of time below it.
    func frame(_ svg: inout SVG, title: String, top: Double, bottom: Double) {
        let x = timeAxis
        svg.text(title, Self.left, 26, size: 16, isBold: true)
        svg.text(subject, Self.left, 45, size: 12, fill: Ink.faint)
        if let healedAt = record.healedAt {
            let border = x(seconds(healedAt))
            svg.rectangle(x(0), top, border - x(0), bottom - top, fill: Ink.shade)
            svg.line(border, top - 16, border, bottom, stroke: Ink.axis, dash: "4 3")
            if 120 < border - x(0) { svg.text("faults", x(0) + 4, top - 20, size: 11, fill: Ink.faint) }
            svg.text("healed", min(border + 4, Self.width - 70), top - 20, size: 11, fill: Ink.faint)
        }
        for tick in x.ticks(about: 10) {
            svg.line(x(tick.value), top, x(tick.value), bottom + 4, stroke: Ink.grid)
            svg.text(tick.text, x(tick.value), bottom + 19, anchor: .middle)
        }
        svg.text("time of the run, s", (x(0) + x(end)) / 2, bottom + 38, anchor: .middle, fill: Ink.faint)
        for note in record.notes where note.kind == .fault && (record.healedAt.map { note.at < $0 } ?? true) {
            let place = x(seconds(note.at))
            svg.line(
                place, top - 12, place, top - 2, stroke: Self.isRemedy(note.text) ? "#009e73" : "#d55e00", width: 1.2)
        }
    }

    func border(_ svg: inout SVG, top: Double, bottom: Double) {
        let x = timeAxis
        svg.path(
            [(x(0), top), (x(0), bottom), (x(end), bottom), (x(end), top), (x(0), top)], stroke: Ink.axis, width: 1)
    }

    /// Fault marks in the order of the legend: what breaks, what mends.
    func faultLegend(_ svg: inout SVG, x: Double, y: Double) {
        for (index, entry) in [("#d55e00", "something breaks"), ("#009e73", "something mends or starts")].enumerated() {
            let place = x + Double(index) * 140
            svg.line(place, y - 10, place, y, stroke: entry.0, width: 2)
            svg.text(entry.1, place + 7, y, size: 11)
        }
    }

    private static func isRemedy(_ fault: String) -> Bool {
        ["start", "mend", "online", "hear"].contains { fault.hasPrefix($0) }
    }
}
