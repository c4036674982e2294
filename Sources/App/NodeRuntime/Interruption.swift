import Glibc
import Synchronization

/// Records whether the program was asked to end, by Ctrl-C or SIGTERM, for a command that has to tidy up before.
package enum Interruption {
    private static let isRequested = Atomic<Bool>(false)

    /// Whether it was asked to end.
    package static var isPending: Bool { isRequested.load(ordering: .relaxed) }

    /// Installs the handlers: from now on SIGINT and SIGTERM set the flag instead of ending the program.
    package static func listen() {
        for number in [SIGINT, SIGTERM] {
            signal(number) { _ in Interruption.isRequested.store(true, ordering: .relaxed) }
        }
        // A write to a node that has just died must not end the program.
        signal(SIGPIPE, SIG_IGN)
    }
}
