import ArgumentParser
import ControlPlane
import Foundation
package import NodeRuntime

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Shows the health of the node, its sound and its mesh.")

    @OptionGroup var node: NodeChoice
    @Flag(help: "Prints the document partyline.status/1.")
    var json = false
    @Flag(help: "Shows who hears whom.")
    var matrix = false
    @Flag(help: "Exit code 4 if the node or its mesh is degraded; without this option 0.")
    var check = false
    @Option(
        defaultAsFlag: 1.0,
        help: ArgumentHelp(
            "Repeats at this interval, 0.1 to 3600; exit code 3 if the node ends.", valueName: "seconds"))
    var watch: Double?

    func validate() throws {
        guard let watch else { return }
        guard 0.1 <= watch, watch <= 3_600 else { throw ValidationError("--watch takes 0.1 to 3600 seconds") }
        guard !check else { throw ValidationError("--check asks once; leave out --watch") }
    }

    func run() throws {
        let client = try node.connect()
        let paint = Paint.ofTerminal
        let document = try client.ask(StatusRequest(), timeoutSeconds: NodeChoice.timeoutSeconds)
        try show(document, paint: paint)
        guard let watch else {
            if check, document.isDegraded { throw CommandEnd(status: .degraded, message: nil) }
            return
        }
        while true {
            Thread.sleep(forTimeInterval: watch)
            try show(client.askAgain(StatusRequest()), paint: paint)
        }
    }

    private func show(_ document: StatusDocument, paint: Paint) throws {
        if json {
            if watch == nil { try Output.document(document) } else { try Output.compactDocument(document) }
            return
        }
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let lines =
            matrix
            ? MatrixText(document.matrix, paint: paint).lines
            : StatusText(document, paint: paint, isForTerminal: isTerminal).lines
        let clear = watch != nil && isTerminal ? "\u{1B}[H\u{1B}[2J" : ""
        try Output.line(clear + lines.joined(separator: "\n"))
    }
}

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
