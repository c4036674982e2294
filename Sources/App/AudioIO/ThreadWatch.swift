/// Notices a thread that goes no more rounds: a driver that does not return from a call.
///
/// Counted in looks, not in time: where the whole process stands still nobody looks either.
package struct ThreadWatch {
    private var rounds: UInt64 = 0
    private var looksInVain = 0

    package init() {}

    /// - Parameter rounds: that the thread has gone so far (`ThreadHeartbeat.count`).
    package mutating func look(at rounds: UInt64) {
        looksInVain = rounds == self.rounds ? min(looksInVain + 1, AudioLimits.looksInVainMax) : 0
        self.rounds = rounds
    }

    package var standsStill: Bool { looksInVain == AudioLimits.looksInVainMax }
}
