import CLinux
import Glibc
import Handover
package import Primitives

/// Ends another thread's rest: an eventfd, written only while that thread says that it rests.
///
/// `WakeFlag` the other way round: the resting thread lowers it before it rests, *then* looks once more at what it
/// waits for, and raises it when it is awake; the other thread changes that and *then* raises it. Whichever comes
/// second sees what the first did.
package final class WakeUpEvent: Sendable {
    private let descriptor: Int32
    /// Raised while the thread is awake.
    private let flag = WakeFlag()

    /// Throws only where the process has no descriptor left.
    package init() throws(AudioThreadError) {
        descriptor = linux_eventfd_open()
        guard 0 <= descriptor else { throw AudioThreadError(code: errno) }
        _ = flag.raise()
    }

    deinit { close(descriptor) }

    /// The other thread: what the resting one is to look at has been stored.
    /// - Parameter hesitating: what keeps it from writing for a while; in tests.
    package func ring(hesitating: () -> Void = {}) {
        guard flag.raise() else { return }
        hesitating()
        _ = linux_eventfd_signal(descriptor)
    }

    /// The resting thread: returns at `instant` or later, at a ring, or at once where `isCalled` holds by now.
    /// Allocates nothing and takes no lock.
    package func rest(until instant: Instant, unless isCalled: () -> Bool) {
        flag.lower()
        if !isCalled() { linux_eventfd_wait(descriptor, instant.nanoseconds) }
        _ = flag.raise()
        // Whatever the flag says: a ring raises it first and writes afterwards, perhaps only now. Such a ring ends
        // the next rest, and that takes it.
        _ = linux_eventfd_take(descriptor)
    }
}
