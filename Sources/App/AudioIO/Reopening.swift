package import Primitives

/// When to try next for a device that is away: pauses of 0.2 s, doubling to 1 s.
package struct Reopening {
    private var pause = AudioLimits.reopenPauseMin
    /// Nothing is tried before.
    package private(set) var nextTryAt: Instant

    /// The first try is due at once where the device was never open, else after the shortest pause.
    package init(firstTryAt: Instant) { nextTryAt = firstTryAt }

    /// A try has failed at `now`.
    package mutating func failed(now: Instant) {
        nextTryAt = now + pause
        pause = min(pause * 2, AudioLimits.reopenPauseMax)
    }
}
