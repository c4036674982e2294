import CLinux
import Glibc
package import Primitives

/// Ends the rest of another thread through an eventfd. It is written only while that thread is marked as resting.
///
/// It uses `WakeFlag`. The resting thread lowers the flag before it rests, *then* checks once more the condition for
/// which it waits, and raises the flag when it is awake. The other thread changes the condition, and *then* raises the
/// flag. The thread that comes second sees the change of the first.
package final class WakeUpEvent: Sendable {
    private let descriptor: EventDescriptor
    /// Raised while the thread is awake.
    private let flag = WakeFlag()

    /// - Throws: `EventDescriptorError` if the process has no descriptor left.
    package init() throws(EventDescriptorError) {
        descriptor = try EventDescriptor()
        _ = flag.raise()
    }

    /// For the other thread. Call it after the condition has been changed.
    /// - Parameter hesitating: runs before the write; for tests that delay it.
    package func ring(hesitating: () -> Void = {}) {
        guard flag.raise() else { return }
        hesitating()
        descriptor.signal()
    }

    /// For the resting thread. Returns at `instant` or a little later, at a ring, or at once if `isCalled` is already
    /// true. Allocates nothing and takes no lock.
    package func rest(until instant: Instant, unless isCalled: () -> Bool) {
        flag.lower()
        if !isCalled() { linux_eventfd_wait(descriptor.number, instant.nanoseconds) }
        _ = flag.raise()
        // The eventfd is emptied whatever the flag says, since a ring raises the flag first and writes afterwards. If
        // it writes after this line, it ends the next rest, which then empties the eventfd.
        _ = linux_eventfd_take(descriptor.number)
    }
}

/// An eventfd of two threads. It is closed when neither has it any more: an audio thread that hangs in a driver may
/// outlive the engine.
package final class EventDescriptor: Sendable {
    package let number: Int32

    /// - Throws: `EventDescriptorError` if the process has no descriptor left.
    package init() throws(EventDescriptorError) {
        number = linux_eventfd_open()
        guard 0 <= number else { throw EventDescriptorError(code: errno) }
    }

    deinit { close(number) }

    /// Wakes the thread that waits for the eventfd.
    package func signal() { _ = linux_eventfd_signal(number) }
}

/// The process had no descriptor left. The code is an errno.
package struct EventDescriptorError: Error, Hashable, Sendable {
    package let code: Int32
}
