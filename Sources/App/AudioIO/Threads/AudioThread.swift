import CLinux
import Primitives

/// A pthread for one audio loop. A Task would not do, since the threads of its pool have neither the priority nor the
/// punctuality.
final class AudioThread: Sendable {
    /// The thread keeps it alive until it has returned.
    private final class Body {
        let name: String
        let run: @Sendable () -> Void
        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    private let handle: UInt

    /// Starts `run` on a thread named `name` (at most 15 bytes). Throws if the machine has no thread left.
    static func start(name: String, run: @escaping @Sendable () -> Void) throws(AudioThreadError) -> AudioThread {
        let body = Unmanaged.passRetained(Body(name: name, run: run))
        var handle: UInt = 0
        let code = linux_thread_start(
            &handle, AudioLimits.stackBytes,
            { context in
                guard let context else { return }
                let body = Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
                linux_thread_set_name(body.name)
                linux_stack_prefault(AudioLimits.stackBytesPrefaulted)
                body.run()
            }, body.toOpaque())
        guard code == 0 else {
            body.release()
            throw AudioThreadError(code: code)
        }
        return AudioThread(handle: handle)
    }

    private init(handle: UInt) { self.handle = handle }

    /// Waits until the loop has returned, or until `deadline`. Returns false if the loop has not returned. Then the
    /// thread is left to itself: it ends when the loop returns. Call it once.
    func join(until deadline: Instant) -> Bool { linux_thread_join(handle, deadline.nanoseconds) == 0 }
}

/// The machine had no thread left, or the process no descriptor. The code is an errno.
package struct AudioThreadError: Error, Hashable, Sendable {
    package let code: Int32
}
