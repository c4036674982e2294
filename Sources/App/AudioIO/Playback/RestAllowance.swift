package import Primitives

/// How often the device may run dry while playback rests, and for how long playback stays awake where that is
/// exceeded.
///
/// Silence is then played in place of silence, and a stall of the machine is no reason to wake up four times as often
/// for minutes. A device on which rest does not work at all runs dry with each block, and has used up
/// `AudioLimits.restUnderrunsMax` at once; after the pause it has none left, so that the first one begins the next.
///
/// ```
///       ran dry, some left: one fewer; one more each half second
///            ┌───┐
///            │   ▼     ran dry, none left
///          may rest ──────────────────────▶ awake for 10, 20 … 600 s (half as long for each minute without)
///              ▲                               │
///              └─────── over, none left ───────┘
/// ```
package struct RestAllowance {
    /// When all are there again, at one in `AudioLimits.restUnderrunEvery`.
    private var wholeAt = Instant.zero
    private var restsFrom = Instant.zero
    /// The next one.
    private var pause = AudioLimits.restPauseMin

    package init() {}

    package func mayRest(now: Instant) -> Bool { restsFrom <= now }

    /// The device ran dry while playback rested.
    package mutating func spend(now: Instant) {
        let whole = max(wholeAt, now) + AudioLimits.restUnderrunEvery
        guard Self.all < whole - now else {
            wholeAt = whole
            return
        }
        shorten(calm: now - restsFrom)
        restsFrom = now + pause
        wholeAt = restsFrom + Self.all
        pause = min(pause * 2, AudioLimits.restPauseMax)
    }

    private mutating func shorten(calm: Interval) {
        var minutes = calm.nanoseconds / AudioLimits.restCalm.nanoseconds
        while 0 < minutes, AudioLimits.restPauseMin < pause {
            pause = max(pause / 2, AudioLimits.restPauseMin)
            minutes -= 1
        }
    }

    private static let all = AudioLimits.restUnderrunEvery * AudioLimits.restUnderrunsMax
}
