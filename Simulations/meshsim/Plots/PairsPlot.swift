import MeshSimulator
import Primitives

/// Who was linked to whom: a row for each pair, coloured by how the two stood with each other.
struct PairsPlot {
    let plot: RunPlot

    /// A pair as both its sides see it together.
    private enum Standing: CaseIterable {
        case off, still, apart, trying, quarantined, oneSided, verifying, direct, relayed, throughCarrier

        init(_ a: Look, _ b: Look) {
            self =
                switch (a, b) {
                case (.off, _), (_, .off): .off
                case (.paused, _), (_, .paused): .still
                case _ where a.isLinked != b.isLinked: .oneSided
                case _ where a.isLinked: Self.linked(a, b)
                case (.connecting, _), (_, .connecting), (.negotiating, _), (_, .negotiating), (.undecided, _),
                    (_, .undecided):
                    .trying
                case (.quarantined, _), (_, .quarantined): .quarantined
                default: .apart
                }
        }

        private static func linked(_ a: Look, _ b: Look) -> Standing {
            let looks = [a, b]
            if looks.contains(.verifying) { return .verifying }
            if looks.contains(.throughCarrier) { return .throughCarrier }
            return looks.contains(.relayed) ? .relayed : .direct
        }

        var ink: String {
            switch self {
            case .off: "#ffffff"
            case .still: "#e4e7eb"
            case .apart: "#b8bfc7"
            case .trying: "#56b4e9"
            case .quarantined: "#6e40aa"
            case .oneSided: "#d55e00"
            case .verifying: "#f0c000"
            case .direct: "#009e73"
            case .relayed: "#66c2a5"
            case .throughCarrier: "#0072b2"
            }
        }

        var words: String {
            switch self {
            case .off: "a process is off"
            case .still: "a process stands still"
            case .apart: "no link"
            case .trying: "connecting"
            case .quarantined: "quarantined"
            case .oneSided: "up on one side"
            case .verifying: "being verified"
            case .direct: "up, direct"
            case .relayed: "up, via a neighbour"
            case .throughCarrier: "up, through the carrier"
            }
        }
    }

    /// Rows get thinner where there are many.
    private var rowHeight: Double { min(18, max(4, 1_200 / Double(max(1, plot.pairs.count)))) }

    var document: String {
        let top = 96.0
        let bottom = top + rowHeight * Double(plot.pairs.count)
        var svg = plot.paper(height: bottom + 112)
        plot.frame(&svg, title: "Who was linked to whom", top: top, bottom: bottom)
        let x = plot.timeAxis
        for (row, pair) in plot.pairs.enumerated() {
            let y = top + Double(row) * rowHeight
            let name = "\(plot.record.names[pair.0]) – \(plot.record.names[pair.1])"
            if 9 <= rowHeight || row % 4 == 0 {
                svg.text(name, x(0) - 8, y + rowHeight / 2 + 4, size: min(11, max(8, rowHeight)), anchor: .end)
            }
            for segment in segments(pair) where segment.standing != .off {
                svg.rectangle(
                    x(segment.from), y + 1, max(0.4, x(segment.to) - x(segment.from)), rowHeight - 2,
                    fill: segment.standing.ink, title: "\(name): \(segment.standing.words)")
            }
        }
        plot.border(&svg, top: top, bottom: bottom)
        legend(&svg, top: bottom + 58)
        return svg.document
    }

    private func legend(_ svg: inout SVG, top: Double) {
        let left = plot.timeAxis(0)
        for (index, standing) in Standing.allCases.filter({ $0 != .off }).enumerated() {
            let x = left + Double(index % 5) * 172
            let y = top + Double(index / 5) * 20
            svg.rectangle(x, y - 10, 14, 11, fill: standing.ink)
            svg.text(standing.words, x + 20, y, size: 11)
        }
        plot.faultLegend(&svg, x: left + 4 * 172, y: top + 20)
    }

    private struct Segment {
        var from: Double
        var to: Double
        var standing: Standing
    }

    private func segments(_ pair: (Int, Int)) -> [Segment] {
        let (a, b) = (plot.record.looks(of: pair.0, at: pair.1), plot.record.looks(of: pair.1, at: pair.0))
        let instants = (a + b).map(\.at).sorted()
        var segments: [Segment] = []
        var (ofA, ofB) = (Look.off, Look.off)
        var (nextA, nextB) = (0, 0)
        for instant in instants {
            while nextA < a.count, a[nextA].at <= instant {
                ofA = a[nextA].look
                nextA += 1
            }
            while nextB < b.count, b[nextB].at <= instant {
                ofB = b[nextB].look
                nextB += 1
            }
            let (at, standing) = (plot.seconds(instant), Standing(ofA, ofB))
            if segments.last?.standing == standing { continue }
            if !segments.isEmpty { segments[segments.count - 1].to = at }
            segments.append(Segment(from: at, to: plot.end, standing: standing))
        }
        return segments
    }
}
