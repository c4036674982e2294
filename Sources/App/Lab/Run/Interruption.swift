import Glibc
import Synchronization

/// Whether somebody has asked the lab to end (Ctrl-C, SIGTERM).
enum Interruption {
    private static let isRequested = Atomic<Bool>(false)

    static var isPending: Bool { isRequested.load(ordering: .relaxed) }

    /// From now on the two signals set the flag instead of ending the program on the spot.
    static func listen() {
        for number in [SIGINT, SIGTERM] {
            signal(number) { _ in Interruption.isRequested.store(true, ordering: .relaxed) }
        }
        // A node that dies while it is asked something is no reason to die too.
        signal(SIGPIPE, SIG_IGN)
    }
}
