import CLinux
import Foundation

/// Draws lines on the terminal. It writes only the rows that have changed, in one piece, so that nothing flickers.
struct ScreenWriter {
    private let descriptor: Int32
    private var shown: [String] = []
    private var size = (columns: 0, rows: 0)

    /// Opens an empty screen on the terminal; it closes by itself when the process ends.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        linux_terminal_open_screen(descriptor)
    }

    /// Whether standard output is a terminal that can move its cursor.
    static var isPossible: Bool {
        isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// The size of the terminal now; 80 × 24 if it is not known.
    static func size(_ descriptor: Int32) -> (columns: Int, rows: Int) {
        let (columns, rows) = (Int(linux_terminal_columns(descriptor)), Int(linux_terminal_rows(descriptor)))
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
        write(bytes)
    }

    private func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard 0 < count else { return }
            rest = rest.dropFirst(count)
        }
    }
}
