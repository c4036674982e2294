import CLinux
import Glibc
import Handover
package import Primitives

/// Ends the capture thread's rest: an eventfd, written only while that thread says that it rests.
///
/// `WakeFlag` the other way round: capture lowers it before it rests, *then* looks at the key once more, and raises it
/// when it is awake; the node loop moves the key and *then* raises it. Whoever comes second sees what the other did.
package final class CaptureWakeUpEvent: Sendable {
    private let descriptor: Int32
    /// Raised while capture is awake.
    private let flag = WakeFlag()

    /// Throws only where the process has no descriptor left.
    package init() throws(AudioThreadError) {
        descriptor = linux_eventfd_open()
        guard 0 <= descriptor else { throw AudioThreadError(code: errno) }
        _ = flag.raise()
    }

    deinit { close(descriptor) }

    /// The node loop: what the capture thread is to look at has been stored.
    /// - Parameter hesitating: what keeps it from writing for a while; in tests.
    package func ring(hesitating: () -> Void = {}) {
        guard flag.raise() else { return }
        hesitating()
        _ = linux_eventfd_signal(descriptor)
    }

    /// The capture thread: returns at `instant` or later, at a ring, or at once where `isCalled` holds by now.
    /// Allocates nothing and takes no lock.
    package func rest(until instant: Instant, unless isCalled: () -> Bool) {
        flag.lower()
        if !isCalled() { linux_eventfd_wait(descriptor, instant.nanoseconds) }
        _ = flag.raise()
        // Whatever the flag says: who rings raises it first and writes afterwards, perhaps only now. Such a ring ends
        // the next rest, and that takes it.
        _ = linux_eventfd_take(descriptor)
    }
}
