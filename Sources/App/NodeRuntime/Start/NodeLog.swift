import Dispatch
import Foundation
package import Logging
import Synchronization

/// The log of one node: for people on a terminal, or for the journal with its level prefixes (sd-daemon(3)).
package final class NodeLog: Sendable {
    package let logger: Logger
    private let writer = LogWriter()
    private let threshold: LogThreshold

    /// - Parameter speaker: the word before each message, which tells two nodes of one process apart; nil for none.
    package init(level: LogLevelName, form: LogForm, of speaker: String? = nil) {
        let threshold = LogThreshold(level)
        self.threshold = threshold
        logger = Logger(label: "partyline") { [writer] _ in
            StandardErrorLog(writer: writer, threshold: threshold, form: form, speaker: speaker)
        }
    }

    /// Changes how much is logged from now on, also by the copies of the logger that others have.
    package func setLevel(_ level: LogLevelName) { threshold.level = level }

    /// Returns when all lines have been written.
    func flush() { writer.flush() }

    /// The same log for libraries. It takes only errors.
    package var quietLogger: Logger {
        var quiet = logger
        quiet.logLevel = .error
        return quiet
    }
}

/// How much a node logs. All copies of its logger share it, since a reload may change it.
private final class LogThreshold: Sendable {
    private let stored: Mutex<LogLevelName>

    init(_ level: LogLevelName) { stored = Mutex(level) }

    var level: LogLevelName {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }
}

/// Writes lines to standard error on a queue of its own, since a terminal or a pipe may block the writer.
///
/// A line is dropped if `linesWaitingMax` lines wait already, or if it cannot be written. The number of lines dropped
/// in the first way comes before the next line that is taken.
private final class LogWriter: Sendable {
    private let queue = DispatchQueue(label: "partyline.log")
    private let waiting = Atomic<Int>(0)
    private let droppedCount = Atomic<Int>(0)
    private static let linesWaitingMax = 1_024

    /// - Parameter dropped: returns the line that tells how many lines were dropped before this one.
    func write(_ line: String, after dropped: (Int) -> String) {
        guard waiting.wrappingAdd(1, ordering: .relaxed).newValue <= Self.linesWaitingMax else {
            waiting.wrappingSubtract(1, ordering: .relaxed)
            droppedCount.wrappingAdd(1, ordering: .relaxed)
            return
        }
        let count = droppedCount.exchange(0, ordering: .relaxed)
        let text = (count == 0 ? "" : dropped(count)) + line
        queue.async { [self] in
            waiting.wrappingSubtract(1, ordering: .relaxed)
            try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
        }
    }

    func flush() { queue.sync {} }
}

/// Writes each message as one line to standard error.
private struct StandardErrorLog: LogHandler {
    var metadata: Logger.Metadata = [:]
    /// The level of this copy; nil for that of the node.
    private var ownLevel: Logger.Level?
    private let writer: LogWriter
    private let threshold: LogThreshold
    private let form: LogForm
    private let speaker: String?

    init(writer: LogWriter, threshold: LogThreshold, form: LogForm, speaker: String?) {
        self.writer = writer
        self.threshold = threshold
        self.form = form
        self.speaker = speaker
    }

    var logLevel: Logger.Level {
        get { ownLevel ?? Logger.Level(threshold.level) }
        set { ownLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        writer.write(form.line("\(event.message)", level: event.level, of: speaker)) { count in
            form.line("\(count.counted("line")) of the log dropped", level: .warning, of: speaker)
        }
    }
}

extension LogForm {
    /// The line of a message, with its line feed.
    ///
    /// - Parameter speaker: the word before the message; nil for none.
    package func line(_ message: String, level: Logger.Level, of speaker: String?) -> String {
        let message = (speaker.map { "\($0): " } ?? "") + message
        switch self {
        case .journal: return "<\(level.journalPriority)>\(message)\n"
        case .terminal, .besideLiveLine:
            let start = self == .besideLiveLine ? "\r\u{1B}[K" : ""
            let word = level < .warning ? "" : "\(level): "
            return "\(start)partyline: \(word)\(message)\n"
        }
    }
}

extension Logger.Level {
    fileprivate init(_ name: LogLevelName) {
        self =
            switch name {
            case .error: .error
            case .warning: .warning
            case .notice: .notice
            case .info: .info
            case .debug: .debug
            case .trace: .trace
            }
    }

    /// Priorities of syslog(3).
    fileprivate var journalPriority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}
