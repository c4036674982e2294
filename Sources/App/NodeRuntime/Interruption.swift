import Glibc
import Synchronization

/// Records whether the program was asked to end, by Ctrl-C, by SIGTERM or because its terminal is gone, for a command
/// that has to tidy up before.
package enum Interruption {
    private static let isRequested = Atomic<Bool>(false)

    /// Whether it was asked to end.
    package static var isPending: Bool { isRequested.load(ordering: .relaxed) }

    /// Installs the handlers: from now on SIGINT, SIGTERM and SIGHUP set the flag instead of ending the program. A
    /// program that ignores SIGHUP, because `nohup` has started it, goes on without its terminal.
    package static func listen() {
        let note: @convention(c) (Int32) -> Void = { _ in Interruption.isRequested.store(true, ordering: .relaxed) }
        for number in [SIGINT, SIGTERM] { signal(number, note) }
        // Nil is the default action.
        let former = signal(SIGHUP, SIG_IGN)
        signal(SIGHUP, former ?? note)
        // A write to a node that has just died must not end the program.
        signal(SIGPIPE, SIG_IGN)
    }
}
