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

/// Notices a thread that goes no more rounds: a driver that does not return from a call.
///
/// Counted in looks, not in time: where the whole process stands still nobody looks either.
package struct ThreadWatch: Sendable {
    /// Looks in vain after which the thread is said to stand still.
    private let looksInVainMax: Int
    private var rounds: UInt64 = 0
    private var looksInVain = 0

    package init(looksInVainMax: Int) { self.looksInVainMax = looksInVainMax }

    /// - Parameter rounds: that the thread has gone so far (`ThreadHeartbeat.count`).
    package mutating func look(at rounds: UInt64) {
        looksInVain = rounds == self.rounds ? min(looksInVain + 1, looksInVainMax) : 0
        self.rounds = rounds
    }

    package var standsStill: Bool { looksInVain == looksInVainMax }
}
