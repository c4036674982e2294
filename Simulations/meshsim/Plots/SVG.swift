/// A drawing as SVG text, in its own coordinates: the few shapes that a chart needs.
package struct SVG {
    package let width: Double
    package let height: Double
    private var body: [String] = []

    package init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    package enum Anchor: String { case start, middle, end }

    package mutating func rectangle(
        _ x: Double, _ y: Double, _ width: Double, _ height: Double, fill: String, opacity: Double = 1,
        title: String? = nil
    ) {
        guard 0 < width, 0 < height else { return }
        let shape =
            "<rect x=\"\(n(x))\" y=\"\(n(y))\" width=\"\(n(width))\" height=\"\(n(height))\" fill=\"\(fill)\""
            + (opacity == 1 ? "" : " fill-opacity=\"\(n(opacity))\"")
        body.append(title.map { "\(shape)><title>\(Self.escaped($0))</title></rect>" } ?? shape + "/>")
    }

    package mutating func line(
        _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, stroke: String, width: Double = 1, dash: String? = nil
    ) {
        body.append(
            "<line x1=\"\(n(x1))\" y1=\"\(n(y1))\" x2=\"\(n(x2))\" y2=\"\(n(y2))\" stroke=\"\(stroke)\" "
                + "stroke-width=\"\(n(width))\"" + (dash.map { " stroke-dasharray=\"\($0)\"" } ?? "") + "/>")
    }

    package mutating func path(
        _ points: [(x: Double, y: Double)], stroke: String, width: Double, dash: String? = nil, fill: String = "none"
    ) {
        guard !points.isEmpty else { return }
        let steps = points.map { "\(n($0.x)) \(n($0.y))" }.joined(separator: " L")
        body.append(
            "<path d=\"M\(steps)\" fill=\"\(fill)\" stroke=\"\(stroke)\" stroke-width=\"\(n(width))\" "
                + "stroke-linejoin=\"round\"" + (dash.map { " stroke-dasharray=\"\($0)\"" } ?? "") + "/>")
    }

    package mutating func text(
        _ text: String, _ x: Double, _ y: Double, size: Double = 12, anchor: Anchor = .start, fill: String = Ink.text,
        isBold: Bool = false, turned: Bool = false
    ) {
        body.append(
            "<text x=\"\(n(x))\" y=\"\(n(y))\" font-size=\"\(n(size))\" text-anchor=\"\(anchor.rawValue)\" "
                + "fill=\"\(fill)\"" + (isBold ? " font-weight=\"600\"" : "")
                + (turned ? " transform=\"rotate(-90 \(n(x)) \(n(y)))\"" : "") + ">\(Self.escaped(text))</text>")
    }

    package var document: String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(n(width)) \(n(height))" width="\(n(width))" \
        height="\(n(height))" font-family="DejaVu Sans, Helvetica, Arial, sans-serif">
        <rect width="\(n(width))" height="\(n(height))" fill="#ffffff"/>
        \(body.joined(separator: "\n"))
        </svg>

        """
    }

    /// Two digits after the point are finer than any screen.
    private func n(_ number: Double) -> String {
        let rounded = (number * 100).rounded() / 100
        return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
    }

    private static func escaped(_ text: String) -> String {
        var out = ""
        for character in text {
            switch character {
            case "&": out += "&amp;"
            case "<": out += "&lt;"
            case ">": out += "&gt;"
            case "\"": out += "&quot;"
            default: out.append(character)
            }
        }
        return out
    }
}

/// Colours on a light ground; those of data are told apart by people who do not see red and green
/// (Okabe and Ito, "Color universal design", 2008).
package enum Ink {
    package static let text = "#24292f"
    static let faint = "#57606a"
    static let grid = "#e4e7eb"
    static let axis = "#8c959f"
    static let shade = "#fff3d6"
    static let series = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"]
}
