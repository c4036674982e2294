import NIOCore
import Synchronization

/// A way onto an event loop that can be shut before the loop ends. A loop must be given nothing after its end, and the
/// threads that bring replies and events do not know when it ends.
final class LoopHandler: Sendable {
    private let loop: any EventLoop
    private let isShut = Mutex(false)

    init(to loop: any EventLoop) { self.loop = loop }

    /// Runs `body` on the loop, soon; drops it after `shut`.
    func execute(_ body: @escaping @Sendable () -> Void) {
        isShut.withLock { isShut in
            if !isShut { loop.execute(body) }
        }
    }

    /// After this returns, the loop is given nothing more.
    func shut() { isShut.withLock { $0 = true } }
}
