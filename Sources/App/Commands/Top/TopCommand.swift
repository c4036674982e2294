import ArgumentParser
import CLinux
import ControlPlane
import Foundation
import NodeRuntime
import Primitives
import SystemClock

struct TopCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top", abstract: "Shows the node live: channels, peers, levels, events, and keys to talk.",
        discussion: """
            Space works the first talk key, 1 to 8 work each of them, c switches the microphone off while it is held, \
            a answers the call that is shown, Ctrl-L draws the screen anew, q leaves it; the node goes on. \
            A terminal that reports when a key is let go works the talk key as a hand does; in any other \
            terminal a key that is held repeats, and talks until shortly after the last repeat. \
            --plain suits screen readers and pipes: a sentence for each change, and no cursor movement.
            """)

    @OptionGroup var node: NodeChoice
    @Flag(help: "Prints a line for each change, without a screen; so it does where there is no terminal.")
    var plain = false

    func run() throws {
        let source = try TopSource(try node.connect())
        var console = TopConsole(source)
        do {
            if plain || !ScreenWriter.isPossible {
                try console.printChanges()
            } else {
                try console.showScreen(paint: .ofTerminal)
            }
        } catch ControlClientError.closed {
            throw CommandEnd.nodeEnded
        }
    }
}

/// The loop of `partyline top`: reads keys, asks the node, and shows what has changed.
struct TopConsole {
    private let source: TopSource
    private let readsKeys: Bool
    private var keys: TopKeys
    private var input: Int32 { STDIN_FILENO }

    /// The pause between two questions to the node. It is longer if answers take long, so that the screen of a large
    /// mesh costs its node little.
    private static let refreshPause = Interval.milliseconds(200)
    private static let answerTimesPerPause = 10
    /// The screen is drawn at most so often.
    private static let drawPause = Interval.milliseconds(100)

    /// - Parameter source: the node.
    init(_ source: TopSource) {
        self.source = source
        keys = TopKeys(mode: TopConsole.mode(source.view), keys: source.view.keys.keys)
        // In a pipe, the program at its other end reads the keys.
        readsKeys =
            isatty(STDOUT_FILENO) == 1 && isatty(STDIN_FILENO) == 1
            && linux_terminal_read_keys(STDIN_FILENO) == 0
        linux_terminal_restore_when_interrupted()
    }

    /// Shows the screen until somebody leaves it.
    ///
    /// - Throws: `ControlClientError` if the node ends.
    mutating func showScreen(paint: Paint) throws {
        var writer = ScreenWriter()
        defer { linux_terminal_restore() }
        var drawnAt = Instant.zero
        try run { source, isAsked in
            if isAsked { writer.forget() }
            let now = Instant.monotonicNow()
            guard TopConsole.drawPause <= now - drawnAt else { return }
            drawnAt = now
            let size = ScreenWriter.size
            let screen = TopScreen(source.view, columns: size.columns, rows: size.rows, paint: paint)
            writer.draw(screen.lines, size)
        }
    }

    /// Prints a line for each change until somebody leaves.
    ///
    /// - Throws: `ControlClientError` if the node ends, `StandardOutputFault` if a line cannot be written, or if nobody
    ///   reads the lines any more.
    mutating func printChanges() throws {
        defer { linux_terminal_restore() }
        let readsKeys = readsKeys
        try Output.lines(TopChanges.all(source.view, readsKeys: readsKeys))
        var printed = source.view
        try run { source, isAsked in
            if isAsked { try Output.lines(TopChanges.all(source.view, readsKeys: readsKeys)) }
            let lines = TopChanges.between(printed, source.view, readsKeys: readsKeys)
            printed = source.view
            if lines.isEmpty { try StandardOutput.checkReader() } else { try Output.lines(lines) }
        }
    }

    /// - Parameter show: shows the state. It also learns whether the person has asked for all of it.
    private mutating func run(_ show: (TopSource, Bool) throws -> Void) throws {
        var (refreshedAt, refreshAt) = (Instant.zero, Instant.zero)
        while true {
            let now = Instant.monotonicNow()
            let due = min(keys.dueAt ?? .distantFuture, refreshAt)
            let acts = keys.read(nextBytes(until: min(due, now + TopConsole.drawPause)), at: .monotonicNow())
            for act in acts {
                guard try perform(act) else { return }
                // The effect is shown at once. A key that is held down repeats more often than the screen is drawn.
                refreshAt = refreshedAt + TopConsole.drawPause
            }
            if refreshAt <= .monotonicNow() {
                try source.refresh()
                let former = keys.bind(mode: TopConsole.mode(source.view), keys: source.view.keys.keys)
                for act in former { _ = try perform(act) }
                refreshedAt = .monotonicNow()
                let pause = max(
                    TopConsole.refreshPause.nanoseconds,
                    source.answerTime.nanoseconds * Int64(TopConsole.answerTimesPerPause))
                refreshAt = refreshedAt + Interval(nanoseconds: pause)
            }
            try show(source, acts.contains(.redraw))
        }
    }

    /// The mode of the first talk key.
    private static func mode(_ view: TopView) -> TalkMode { TalkMode(rawValue: view.status.audio.talkMode) ?? .ptt }

    /// Returns whether the loop goes on.
    private func perform(_ act: TopKeys.Act) throws -> Bool {
        switch act {
        case .talk(let order, let key): try source.perform(order, key: key)
        case .answer: try source.answer()
        case .redraw: break
        case .suspend: signal(SIGTSTP)
        case .leave: return false
        case .interrupt:
            signal(SIGINT)
            return false
        }
        return true
    }

    /// Sends a signal to this process, as the terminal does for a key, and gives it time to act. `raise` would send it
    /// to this thread, which may have blocked it.
    private func signal(_ number: Int32) {
        kill(getpid(), number)
        usleep(300_000)
    }

    /// Waits for keys, and gathers events meanwhile; returns no bytes if no key was pressed in time.
    private func nextBytes(until end: Instant) -> ArraySlice<UInt8> {
        var (entries, now) = ([pollfd(), pollfd()], Instant.monotonicNow())
        repeat {
            entries[0] = pollfd(fd: readsKeys ? input : -1, events: Int16(POLLIN), revents: 0)
            entries[1] = pollfd(fd: source.eventsDescriptor, events: Int16(POLLIN), revents: 0)
            poll(&entries, 2, Int32(max(0, (end - now).milliseconds + 1)))
            if entries[1].revents != 0 { source.gatherEvents() }
            now = .monotonicNow()
        } while entries[0].revents == 0 && now < end
        guard entries[0].revents != 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = read(input, &bytes, bytes.count)
        guard 0 < count else {
            // The terminal was closed. SIGHUP is on its way.
            return [UInt8(ascii: "q")]
        }
        return bytes[..<count]
    }
}

/// Draws lines on the terminal of standard output. It writes only the rows that have changed, in one piece, so that
/// nothing flickers.
package struct ScreenWriter {
    private var shown: [String] = []
    private var size = (columns: 0, rows: 0)

    /// Opens an empty screen on the terminal; it closes by itself when the process ends.
    init() { linux_terminal_open_screen(STDOUT_FILENO) }

    /// Whether standard output is a terminal that can move its cursor.
    static var isPossible: Bool {
        isatty(STDOUT_FILENO) == 1 && Surroundings.environment["TERM"] != "dumb"
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
            bytes += ScreenWriter.bytes(of: line, row: row)
        }
        shown = lines
        // After a failed write the terminal may show a part of a row, so all rows are drawn anew.
        do { try StandardOutput.write(bytes) } catch { forget() }
    }

    /// The bytes that show `line` in a row, which counts from 0. They erase the row first. After a line that fills the
    /// row, the cursor stays on the last column, and erasing from there would take the last character.
    package static func bytes(of line: String, row: Int) -> String {
        "\u{1B}[\(row + 1);1H\u{1B}[K\(line)\u{1B}[0m"
    }
}
