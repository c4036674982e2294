import Dispatch
import Foundation
import Logging
import Synchronization

/// Logs for people on a terminal, and for the journal with its level prefixes (sd-daemon(3)).
enum NodeLogging {
    static func logger(level: LogLevelName) -> Logger {
        var logger = Logger(label: "partyline") { _ in StandardErrorLog() }
        logger.logLevel = Logger.Level(level)
        return logger
    }

    /// Returns when what was logged has been written.
    static func flush() { LogWriter.shared.flush() }

    /// The same logger for libraries that talk about themselves.
    static func quiet(_ logger: Logger) -> Logger {
        var logger = logger
        logger.logLevel = max(logger.logLevel, .error)
        return logger
    }
}

/// Writes lines to standard error on a thread of its own, for a terminal or a pipe may keep a writer waiting.
///
/// A line that comes while `linesWaitingMax` wait is dropped, and so is one that cannot be written.
private final class LogWriter: Sendable {
    static let shared = LogWriter()

    private let queue = DispatchQueue(label: "partyline.log")
    private let waiting = Atomic<Int>(0)
    private static let linesWaitingMax = 1_024

    func write(_ line: String) {
        guard waiting.wrappingAdd(1, ordering: .relaxed).newValue <= Self.linesWaitingMax else {
            waiting.wrappingSubtract(1, ordering: .relaxed)
            return
        }
        queue.async { [self] in
            waiting.wrappingSubtract(1, ordering: .relaxed)
            try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
        }
    }

    func flush() { queue.sync {} }
}

/// One line a message on standard error; under systemd with the level in front.
private struct StandardErrorLog: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .info
    private let isJournal = ProcessInfo.processInfo.environment["JOURNAL_STREAM"] != nil

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let front = isJournal ? "<\(event.level.journalPriority)>" : "partyline: "
        let word = isJournal || event.level < .warning ? "" : "\(event.level): "
        LogWriter.shared.write("\(front)\(word)\(event.message)\n")
    }
}

extension Logger.Level {
    init(_ name: LogLevelName) {
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
