import CLinux
import Glibc

/// An eventfd of two threads. It is closed when neither has it any more: an audio thread that hangs in a driver may
/// outlive the engine.
final class EventDescriptor: Sendable {
    let number: Int32

    /// Throws only if the process has no descriptor left.
    init() throws(AudioThreadError) {
        number = linux_eventfd_open()
        guard 0 <= number else { throw AudioThreadError(code: errno) }
    }

    deinit { close(number) }

    func signal() { _ = linux_eventfd_signal(number) }
}
