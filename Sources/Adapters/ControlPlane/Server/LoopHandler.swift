import NIOCore
import Synchronization

/// Passes work to an event loop, and can be shut before the loop ends. A loop must get no work after its end, and the
/// threads that send replies and events do not know when it ends.
final class LoopHandler: Sendable {
    private let loop: any EventLoop
    private let isShut = Mutex(false)

    init(to loop: any EventLoop) { self.loop = loop }

    /// Runs `body` on the loop a little later; drops it after `shut`.
    func execute(_ body: @escaping @Sendable () -> Void) {
        isShut.withLock { isShut in
            if !isShut { loop.execute(body) }
        }
    }

    /// After it returns, no more work reaches the loop.
    func shut() { isShut.withLock { $0 = true } }
}
