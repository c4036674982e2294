/// Brings one talker to the loudness of all others, slowly, and by its speech alone.
///
/// Power is gathered over windows of 100 ms. A window above -50 dBFS is sound; one more than 10 dB
/// below what is known of the talker is a pause between words, and counts a fifth (the gates of
/// ITU-R BS.1770, but such that a talker who lowers its voice for good is followed). Silence counts
/// nothing: after a pause of an hour the gain stands where it stood.
package struct LoudnessMatch: BitwiseCopyable {
    /// What the talker's samples are to be multiplied by now.
    package private(set) var gain: Float = 1
    /// Where `gain` goes, at 3 dB/s.
    private var goal: Float = 1
    /// Mean square of its speech; 0 before any.
    private var speechPower: Float = 0
    private var windowsHeard = 0
    private var windowPower: Float = 0
    private var windowCount = 0

    package init() {}

    /// A block of mean square `power` has sounded; the gain moves as far as its length allows.
    package mutating func measure(power: Float, count: Int) {
        windowPower += power * Float(count)
        windowCount += count
        if Self.windowSamples <= windowCount {
            note(windowPower / Float(windowCount))
            (windowPower, windowCount) = (0, 0)
        }
        let reach = gain * Self.slewPerSample * Float(count)
        gain = Ramp.step(gain, towards: goal, by: reach)
    }

    private mutating func note(_ power: Float) {
        guard Self.gatePower < power else { return }
        windowsHeard = min(windowsHeard + 1, Self.windowsMax)
        let isPause = power < speechPower * Self.pauseRatio
        let weight = 1 / Float(isPause ? 5 * Self.windowsMax : windowsHeard)
        speechPower += (power - speechPower) * weight
        guard Self.windowsMin <= windowsHeard else { return }
        goal = min(Self.gainMax, max(1 / Self.gainMax, (Self.targetPower / speechPower).squareRoot()))
    }

    /// -23 dBFS.
    private static let targetPower: Float = 5.01e-3
    /// -50 dBFS.
    private static let gatePower: Float = 1e-5
    /// -10 dB.
    private static let pauseRatio: Float = 0.1
    /// 12 dB.
    private static let gainMax: Float = 3.981
    /// 3 dB a second: ln(10) / 20 · 3 / 48,000.
    private static let slewPerSample: Float = 7.195e-6
    private static let windowSamples = 4_800
    /// Speech heard before the gain moves: 0.3 s.
    private static let windowsMin = 3
    /// Speech over which loudness is taken: 3 s.
    private static let windowsMax = 30
}
