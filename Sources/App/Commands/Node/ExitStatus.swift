/// Exit status of `partyline`; documented in its help.
package enum ExitStatus: Int32, Hashable, Sendable {
    case healthy = 0
    case failed = 1
    /// The command line or the configuration file is wrong.
    case usage = 2
    case noNodeRunning = 3
    /// The node runs and something is wrong, or is not in effect: `status --check`, `doctor`, a reload of which a part
    /// waits for a restart, a key that nobody hears.
    case degraded = 4
}

/// Error that ends a command with a status, and a message on standard error if there is one.
struct CommandEnd: Error {
    var status: ExitStatus
    var message: String?

    /// The end of a command that follows a node until the node ends.
    static let nodeEnded = CommandEnd(status: .noNodeRunning, message: "the node has ended")
}
