package import NodeRuntime

/// `partyline latency` for people: one table for each direction.
package struct LatencyText {
    private let document: LatencyDocument

    package init(_ document: LatencyDocument) { self.document = document }

    /// The lines, without line feeds.
    package var lines: [String] {
        let name = Output.safe(document.name)
        return way("from \(name)'s mouth to the ear here", document.hearing) + [""]
            + way("from the mouth here to \(name)'s ear", document.heard)
    }

    private func way(_ title: String, _ way: LatencyDocument.Way) -> [String] {
        [Columns.fit(title, Columns.lineMax)] + way.parts.map(line)
            + ["  \(Columns.left("total", 9))\(milliseconds(way.totalMs))"]
    }

    private func line(_ part: LatencyDocument.Part) -> String {
        let name = Columns.left(Output.safe(part.part).replacing("_", with: "-"), 9)
        let text =
            "  \(name)\(milliseconds(part.ms))  \(Columns.left(part.source.rawValue, 9)) \(Output.safe(part.text))"
        return Columns.fit(text, Columns.lineMax)
    }

    private func milliseconds(_ value: Double?) -> String {
        Columns.right("\(Figures.decimal(value, columns: 6)) ms", 9)
    }
}
