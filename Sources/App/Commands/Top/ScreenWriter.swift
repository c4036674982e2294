import CLinux
import Foundation
import NodeRuntime

/// Draws lines on the terminal of standard output. It writes only the rows that have changed, in one piece, so that
/// nothing flickers.
struct ScreenWriter {
    private var shown: [String] = []
    private var size = (columns: 0, rows: 0)

    /// Opens an empty screen on the terminal; it closes by itself when the process ends.
    init() { linux_terminal_open_screen(STDOUT_FILENO) }

    /// Whether standard output is a terminal that can move its cursor.
    static var isPossible: Bool {
        isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// The size of the terminal now; 80 × 24 if it is not known.
    static var size: (columns: Int, rows: Int) {
        let (columns, rows) = (Int(linux_terminal_columns(STDOUT_FILENO)), Int(linux_terminal_rows(STDOUT_FILENO)))
        return (columns == 0 ? Columns.lineMax : columns, rows == 0 ? 24 : rows)
    }

    /// Whether a screen of this size must be drawn anew, although nothing else has changed.
    func isStale(_ size: (columns: Int, rows: Int)) -> Bool { size != self.size }

    /// Draws every row at the next call.
    mutating func forget() { size = (0, 0) }

    mutating func draw(_ lines: [String], _ size: (columns: Int, rows: Int)) {
        var bytes = ""
        if linux_terminal_screen_is_fresh() != 0 || isStale(size) {
            bytes = "\u{1B}[2J"
            shown = []
            self.size = size
        }
        for (row, line) in lines.enumerated() where row >= shown.count || shown[row] != line {
            bytes += "\u{1B}[\(row + 1);1H\(line)\u{1B}[0m\u{1B}[K"
        }
        shown = lines
        // After a failed write the terminal may show a part of a row, so all rows are drawn anew.
        do { try StandardOutput.write(bytes) } catch { forget() }
    }
}
