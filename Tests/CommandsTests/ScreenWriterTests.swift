import Commands
import Testing

@Suite("What partyline top writes to the terminal")
struct ScreenWriterTests {
    private static let columns = 12

    /// The row of a terminal without line wrap that had a long line, after these bytes. Its cursor goes no further than
    /// the last column.
    private static func row(after bytes: String) -> String {
        var cells = Array(repeating: Character("x"), count: columns)
        var (column, rest) = (0, bytes[...])
        while let character = rest.popFirst() {
            guard character == "\u{1B}" else {
                cells[column] = character
                column = min(column + 1, columns - 1)
                continue
            }
            rest = rest.drop { !$0.isLetter }
            switch rest.popFirst() ?? " " {
            case "H": column = 0
            case "K": for place in column..<columns { cells[place] = " " }
            default: break
            }
        }
        return String(cells)
    }

    @Test(
        "a line that fills the row keeps its last character, and a shorter one leaves nothing of the former line",
        arguments: ["out #### -17", "out  -17", "", "\u{1B}[32mout\u{1B}[0m #### -20"])
    func wholeRow(line: String) {
        let text = line.replacing(/\u{1B}\[[0-9;]+m/, with: "")
        #expect(Self.row(after: ScreenWriter.bytes(of: line, row: 3)) == Columns.left(text, Self.columns))
    }
}
