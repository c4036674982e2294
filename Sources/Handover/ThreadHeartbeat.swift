import Synchronization

/// Shows other threads whether a thread still runs through its loop.
package final class ThreadHeartbeat: Sendable {
    private let beats = Atomic<UInt64>(0)

    package init() {}

    /// Call it once a round on the thread that is watched.
    @_noAllocation @_noLocks
    package func beat() { beats.wrappingAdd(1, ordering: .relaxed) }

    /// Number of rounds so far. If it is the same at two checks, the thread stood still between them.
    package var count: UInt64 { beats.load(ordering: .relaxed) }
}

/// Notices that a thread makes no more rounds, for example because a driver does not return from a call.
///
/// It counts checks and not time: while the whole process stands still, there are no checks either.
package struct ThreadWatch: Sendable {
    /// Checks in a row without a new round, after which the thread counts as standing still.
    private let looksInVainMax: Int
    private var rounds: UInt64 = 0
    private var looksInVain = 0

    package init(looksInVainMax: Int) { self.looksInVainMax = looksInVainMax }

    /// Makes one check.
    ///
    /// - Parameter rounds: the number of rounds so far (`ThreadHeartbeat.count`).
    package mutating func look(at rounds: UInt64) {
        looksInVain = rounds == self.rounds ? min(looksInVain + 1, looksInVainMax) : 0
        self.rounds = rounds
    }

    package var standsStill: Bool { looksInVain == looksInVainMax }
}
