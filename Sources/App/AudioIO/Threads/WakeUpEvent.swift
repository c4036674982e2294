import CLinux
import Glibc
import Handover
package import Primitives

/// Ends the rest of another thread through an eventfd. It is written only while that thread is marked as resting.
///
/// It uses `WakeFlag`. The resting thread lowers the flag before it rests, *then* checks once more the condition for
/// which it waits, and raises the flag when it is awake. The other thread changes the condition, and *then* raises the
/// flag. The thread that comes second sees the change of the first.
package final class WakeUpEvent: Sendable {
    private let descriptor: Int32
    /// Raised while the thread is awake.
    private let flag = WakeFlag()

    /// - Throws: `AudioThreadError` if the process has no descriptor left.
    package init() throws(AudioThreadError) {
        descriptor = linux_eventfd_open()
        guard 0 <= descriptor else { throw AudioThreadError(code: errno) }
        _ = flag.raise()
    }

    deinit { close(descriptor) }

    /// For the other thread. Call it after the condition has been changed.
    /// - Parameter hesitating: runs before the write; for tests that delay it.
    package func ring(hesitating: () -> Void = {}) {
        guard flag.raise() else { return }
        hesitating()
        _ = linux_eventfd_signal(descriptor)
    }

    /// For the resting thread. Returns at `instant` or a little later, at a ring, or at once if `isCalled` is already
    /// true. Allocates nothing and takes no lock.
    package func rest(until instant: Instant, unless isCalled: () -> Bool) {
        flag.lower()
        if !isCalled() { linux_eventfd_wait(descriptor, instant.nanoseconds) }
        _ = flag.raise()
        // The eventfd is emptied whatever the flag says, since a ring raises the flag first and writes afterwards. If
        // it writes after this line, it ends the next rest, which then empties the eventfd.
        _ = linux_eventfd_take(descriptor)
    }
}

/// An eventfd of two threads. It is closed when neither has it any more: an audio thread that hangs in a driver may
/// outlive the engine.
final class EventDescriptor: Sendable {
    let number: Int32

    /// - Throws: `AudioThreadError` if the process has no descriptor left.
    init() throws(AudioThreadError) {
        number = linux_eventfd_open()
        guard 0 <= number else { throw AudioThreadError(code: errno) }
    }

    deinit { close(number) }

    func signal() { _ = linux_eventfd_signal(number) }
}
