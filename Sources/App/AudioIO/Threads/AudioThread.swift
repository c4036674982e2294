import CLinux

/// A pthread of its own for one audio loop: not a Task, because the pool's threads have neither
/// the priority nor the punctuality.
final class AudioThread: Sendable {
    /// Kept alive by the thread until it has returned.
    private final class Body {
        let name: String
        let run: @Sendable () -> Void
        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    private let handle: UInt

    /// Starts `run` on a thread named `name` (at most 15 bytes). Throws where the machine has no thread to give.
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

    /// Waits until the loop has returned; called once.
    func join() { _ = linux_thread_join(handle) }
}

/// The machine had no thread, or the process no descriptor, to give; the code is errno's.
package struct AudioThreadError: Error, Hashable, Sendable {
    package let code: Int32
}
