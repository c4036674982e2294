package import Primitives

/// One talker's part of the mixer: volume, pan, loudness and priority.
struct MixerStrip: BitwiseCopyable {
    /// Factors of the two channels, at the start or the end of a block.
    struct Factors: BitwiseCopyable {
        var left: Float = 1
        var right: Float = 1

        var larger: Float { max(left, right) }
    }

    /// The listener's volume; 0 if muted.
    var gainTarget: Float = 1
    /// -1 left … 1 right.
    var panTarget: Float = 0
    /// Whether other talkers are lowered while this talker speaks.
    var hasPriority = false
    var loudness = LoudnessMatch()
    private var gain: Float = 1
    private var pan: Float = 0
    /// The factor of the lines on which the talker is.
    private var lineGain: Float = 1
    private var ear = Ear.both
    /// Whether the latest block of this talker had no sound. Then the next block may begin on another line (another
    /// channel of the listener, or private talk) at once with the level and the ear of that line, without a ramp.
    private var isResting = true
    /// Factors at the end of the latest block. The next block starts from them, so that no change makes a step in the
    /// sound, unless it begins on another line (another channel of the listener, or private talk) after silence.
    private var latest = Factors()
    /// Whether no block has passed: the first block then needs no ramp from earlier factors.
    private var isFresh = true

    /// Advances by a block of `count` samples. Returns the factors at the start and the end of the block.
    /// - Parameter duck: the factor by which others lower this talker: those with priority; for programme, any talker.
    mutating func advance(
        _ line: LineSound, count: Int, hasSound: Bool, duck: Float, isStereo: Bool
    ) -> (start: Factors, end: Factors) {
        if isFresh { gain = gainTarget }
        let hasJumped = isResting && (line.gain != lineGain || line.ear != ear)
        if isFresh || hasJumped { (lineGain, pan) = (line.gain, place(in: line.ear)) }
        ear = line.ear
        let reach = Float(count) / Self.rampSamples
        gain = Ramp.step(gain, towards: gainTarget, by: reach)
        pan = Ramp.step(pan, towards: place(in: ear), by: reach)
        lineGain = Ramp.step(lineGain, towards: line.gain, by: reach)
        let level = gain * lineGain * (line.programmeDim == nil ? loudness.gain : 1) * duck
        let sides = isStereo ? StereoPan.factors(at: pan) : (left: 1, right: 1)
        let end = Factors(left: level * sides.left, right: level * sides.right)
        let start = isFresh || hasJumped ? end : latest
        latest = end
        (isFresh, isResting) = (false, !hasSound)
        return (start, end)
    }

    private func place(in ear: Ear) -> Float {
        switch ear {
        case .both: panTarget
        case .left: -1
        case .right: 1
        }
    }

    /// Returns the factors for the last block of a talker that has gone: from the latest ones to 0.
    @_noAllocation @_noLocks
    func leave() -> (start: Factors, end: Factors) { (latest, Factors(left: 0, right: 0)) }

    /// From silence to volume 1, or from the middle to an edge, in 10 ms.
    private static let rampSamples: Float = 480
}

/// A talker's place between the loudspeakers: -100 left, 0 middle, 100 right.
package enum StereoPan {
    /// Returns the pan of a talker for which the listener chose none. It depends on the NodeID alone, so it stays the
    /// same, every day and with any other talkers. It is never at an edge, where one ear would miss the talker.
    package static func automatic(for node: NodeID) -> Int {
        Int(node.words.3 % UInt64(2 * automaticMax + 1)) - automaticMax
    }

    /// Returns the factors of the two channels for a pan of -1 … 1. The sum of their squares is always 2, so a talker
    /// is equally loud at every place. In the middle both factors are 1, as in mono.
    static func factors(at pan: Float) -> (left: Float, right: Float) {
        ((1 - pan).squareRoot(), (1 + pan).squareRoot())
    }

    /// The greatest pan that is set without a person's choice; 100 is an edge.
    private static let automaticMax = 60
}
