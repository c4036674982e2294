/// One talker's place in the mixer: how loud, where, and whether it goes before others.
struct MixerStrip: BitwiseCopyable {
    /// What each channel is multiplied by at a block's start and its end.
    struct Factors: BitwiseCopyable {
        var left: Float = 1
        var right: Float = 1
    }

    /// The listener's volume; 0 where muted.
    var gainTarget: Float = 1
    /// -1 left … 1 right.
    var panTarget: Float = 0
    /// Others step back while it speaks.
    var hasPriority = false
    var loudness = LoudnessMatch()
    private var gain: Float = 1
    private var pan: Float = 0
    /// As it was at the end of the latest block: the next one starts there, whatever has changed.
    private var latest = Factors()
    /// Nothing of it has sounded: no way from the old factors to the new has to be gone.
    private var isFresh = true

    /// Goes on by a block; `duck` is what those without priority are multiplied by.
    mutating func advance(count: Int, duck: Float, isStereo: Bool) -> (start: Factors, end: Factors) {
        if isFresh { (gain, pan) = (gainTarget, panTarget) }
        let reach = Float(count) / Self.rampSamples
        gain = Ramp.step(gain, towards: gainTarget, by: reach)
        pan = Ramp.step(pan, towards: panTarget, by: reach)
        let level = gain * loudness.gain * (hasPriority ? 1 : duck)
        let sides = isStereo ? StereoPan.factors(at: pan) : (left: 1, right: 1)
        let end = Factors(left: level * sides.left, right: level * sides.right)
        let start = isFresh ? end : latest
        latest = end
        isFresh = false
        return (start, end)
    }

    /// The last block of a talker who has gone: from here to silence.
    @_noAllocation @_noLocks
    func leave() -> (start: Factors, end: Factors) { (latest, Factors(left: 0, right: 0)) }

    /// From silence to full, or from the middle to an edge, in 10 ms.
    private static let rampSamples: Float = 480
}
