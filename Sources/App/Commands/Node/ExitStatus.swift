/// How `partyline` ends; documented in its help and its manual page.
package enum ExitStatus: Int32, Hashable, Sendable {
    case healthy = 0
    case failed = 1
    /// The command line or the configuration file is wrong.
    case usage = 2
    case noNodeRunning = 3
    /// `status --check` and `doctor` found something wrong.
    case degraded = 4
}

/// Ends a command with a status, and a sentence on standard error where there is something to say.
struct CommandEnd: Error {
    var status: ExitStatus
    var message: String?
}
