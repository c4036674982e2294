package import Primitives

/// Decides how often the device may run dry while playback rests, and how long playback stays awake after it has run
/// dry more often.
///
/// At rest an underrun is not heard, since silence replaces silence. So a stall of the machine is no reason to wake up
/// four times as often for minutes. A device on which rest does not work at all runs dry at each block, and soon uses
/// up `AudioLimits.restUnderrunsMax`. After the pause its allowance is still empty, so the first underrun begins the
/// next pause.
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
    /// The instant at which the allowance is complete again. It grows by one each `AudioLimits.restUnderrunEvery`.
    private var wholeAt = Instant.zero
    private var restsFrom = Instant.zero
    /// The length of the next pause.
    private var pause = AudioLimits.restPauseMin

    package init() {}

    package func mayRest(now: Instant) -> Bool { restsFrom <= now }

    /// Call it when the device ran dry while playback rested.
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
