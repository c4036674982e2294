import NIOCore
import Synchronization

/// A way onto an event loop that can be shut before the loop ends: a loop takes nothing after its
/// end, and replies and events come from threads that do not know of it.
final class LoopHandler: Sendable {
    private let loop: any EventLoop
    private let isShut = Mutex(false)

    init(to loop: any EventLoop) { self.loop = loop }

    /// Runs `body` on the loop, soon; drops it once the door is shut.
    func execute(_ body: @escaping @Sendable () -> Void) {
        isShut.withLock { isShut in
            if !isShut { loop.execute(body) }
        }
    }

    /// When this returns, nothing more comes through.
    func shut() { isShut.withLock { $0 = true } }
}
