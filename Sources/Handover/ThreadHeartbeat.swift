import Synchronization

/// Shows from outside whether a thread still goes round its loop.
package final class ThreadHeartbeat: Sendable {
    private let beats = Atomic<UInt64>(0)

    package init() {}

    /// Once per round, from the thread that is watched.
    @_noAllocation @_noLocks
    package func beat() { beats.wrappingAdd(1, ordering: .relaxed) }

    /// Rounds so far; a watcher that reads the same number twice has a thread that stands still.
    package var count: UInt64 { beats.load(ordering: .relaxed) }
}
