package import NIOCore
import Synchronization

/// Passes work to an event loop, and can be shut before the loop ends. A loop must get no work after its end, and the
/// threads that send to it do not know when it ends.
package final class LoopHandler: Sendable {
    private let loop: any EventLoop
    private let isShut = Mutex(false)

    package init(to loop: any EventLoop) { self.loop = loop }

    /// Runs `body` on the loop a little later; drops it after `shut`.
    /// - Returns: whether `body` will run.
    @discardableResult
    package func execute(_ body: @escaping @Sendable () -> Void) -> Bool {
        isShut.withLock { isShut in
            if !isShut { loop.execute(body) }
            return !isShut
        }
    }

    /// After it returns, no more work reaches the loop. Work that it has accepted still runs.
    package func shut() { isShut.withLock { $0 = true } }
}
