import Glibc
import Synchronization

/// Records whether the lab was asked to end, by Ctrl-C or SIGTERM.
enum Interruption {
    private static let isRequested = Atomic<Bool>(false)

    static var isPending: Bool { isRequested.load(ordering: .relaxed) }

    /// Installs the handlers: from now on SIGINT and SIGTERM set the flag instead of ending the program.
    static func listen() {
        for number in [SIGINT, SIGTERM] {
            signal(number) { _ in Interruption.isRequested.store(true, ordering: .relaxed) }
        }
        // A write to a node that has just died must not end the lab.
        signal(SIGPIPE, SIG_IGN)
    }
}
