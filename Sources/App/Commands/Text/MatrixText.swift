package import NodeRuntime

/// `status --matrix`: who hears whom. A row is what one node says of its links, a column is the other end of the link.
package struct MatrixText {
    private let matrix: StatusDocument.Matrix
    private let paint: Paint

    package init(_ matrix: StatusDocument.Matrix, paint: Paint) {
        self.matrix = matrix
        self.paint = paint
    }

    /// The lines, without line feeds. Columns have numbers and not names, so that they are narrow. If not all columns
    /// fit, they are printed in several blocks.
    package var lines: [String] {
        guard !matrix.ids.isEmpty else { return ["no rows known yet"] }
        let perBlock = (Columns.lineMax - MatrixText.labelColumns) / MatrixText.cellColumns
        var lines: [String] = []
        for start in stride(from: 0, to: matrix.ids.count, by: perBlock) {
            if start != 0 { lines.append("") }
            lines += block(start..<min(start + perBlock, matrix.ids.count))
        }
        return lines + ["", "d direct  v via a neighbour  c carrier  X no path  ? no word yet  . itself"]
            + ["a figure is the loss in per cent, at least"]
    }

    private static let labelColumns = 26
    private static let cellColumns = 4

    private func block(_ columns: Range<Int>) -> [String] {
        let numbers = columns.map { Columns.right("\($0 + 1)", MatrixText.cellColumns) }.joined()
        let heading = paint(Columns.left("", MatrixText.labelColumns) + numbers, .faint)
        let rows = matrix.ids.indices.map { row -> String in
            let name = matrix.names.indices.contains(row) ? matrix.names[row] : ""
            let label =
                Columns.right("\(row + 1)", 2) + " " + Columns.left(Output.safe(name), 12) + " "
                + Columns.left(Output.safe(matrix.ids[row]), 10)
            return label + columns.map { cell(row, $0) }.joined()
        }
        return [heading] + rows
    }

    private func cell(_ row: Int, _ column: Int) -> String {
        guard matrix.rows.indices.contains(row), matrix.rows[row].indices.contains(column) else {
            return Columns.right("?", MatrixText.cellColumns)
        }
        let cell = matrix.rows[row][column]
        let letter =
            switch cell.path {
            case "direct": "d"
            case "via": "v"
            case "carrier": "c"
            case "self": "."
            case "none": "X"
            default: "?"
            }
        let loss = cell.lossPct.flatMap { 0.5 <= $0 ? Figures.whole($0, columns: 2) : nil } ?? ""
        let text = Columns.right(letter + loss, MatrixText.cellColumns)
        return paint(text, letter == "X" ? .bad : loss.isEmpty ? nil : .attention)
    }
}
