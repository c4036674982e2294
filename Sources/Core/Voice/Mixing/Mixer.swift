/// Mixes all talkers: a strip for each of them, ducking, and one limiter for the sum.
///
/// With one output channel pan has no effect: a talker in the middle is as loud as with two.
package struct Mixer: ~Copyable {
    // A pointer comes first: see `VoiceReceiver`.
    private let strips: UnsafeMutablePointer<MixerStrip>
    private let left: UnsafeMutablePointer<Float>
    private let right: UnsafeMutablePointer<Float>
    /// 1, or more for left and right in turn.
    package var channels: Int
    /// Whether talkers are brought to one loudness.
    package var isLoudnessMatched = false
    /// Factor for the whole mix. The factor in use moves to it by 1 in 10 ms.
    package var masterTarget: Float = 1
    /// Loudness of the mix.
    package private(set) var level = LevelMeter()
    private var master: Float = 1
    private var limiter = Limiter()
    /// Lowers talkers without priority.
    private var ducking = Ducking()
    /// Lowers programme.
    private var programme = Ducking()
    /// Whether a line carries programme, so that the mixer must know when anybody talks.
    package var hasProgramme = false
    private var beep = Beep()
    /// Whether a talker with priority has spoken in the block that is being mixed, and whether anybody has talked.
    private var isPrioritySpeaking = false
    private var isTalkHeard = false
    /// Whether `hasTalkSounded` is wanted.
    package var watchesTalk = false
    /// Whether talk has sounded in the latest block, louder than `TalkLimits.heardPeak`. Programme and beeps are no
    /// talk. Known only while `watchesTalk`.
    package private(set) var hasTalkSounded = false

    /// Makes a mixer for `VoiceLimits.talkersMax` talkers.
    package init(channels: Int) {
        self.channels = channels
        strips = .allocate(capacity: VoiceLimits.talkersMax)
        strips.initialize(repeating: MixerStrip(), count: VoiceLimits.talkersMax)
        left = .allocate(capacity: VoiceLimits.blockSamplesMax)
        left.initialize(repeating: 0, count: VoiceLimits.blockSamplesMax)
        right = .allocate(capacity: VoiceLimits.blockSamplesMax)
        right.initialize(repeating: 0, count: VoiceLimits.blockSamplesMax)
    }

    deinit {
        strips.deallocate()
        left.deallocate()
        right.deallocate()
    }

    private var isStereo: Bool { channels != 1 }

    /// Opens a strip for another talker: full volume, in the middle, unknown loudness.
    package mutating func open(_ index: Int) { strips[index] = MixerStrip() }

    /// Sets the listener's volume for a talker, bounded to 0 … 4. The volume in use moves to it by 1 in 10 ms.
    package mutating func setGain(_ index: Int, to gain: Float) {
        strips[index].gainTarget = Self.bounded(gain)
    }

    /// Returns the gain within 0 … 4; 1 if it is no number.
    static func bounded(_ gain: Float) -> Float { gain.isFinite ? min(gainMax, max(0, gain)) : 1 }

    /// Sets the pan, bounded to -1 (left) … 1 (right).
    package mutating func setPan(_ index: Int, to pan: Float) {
        strips[index].panTarget = pan.isFinite ? min(1, max(-1, pan)) : 0
    }

    /// Sets whether other talkers are lowered while this talker speaks.
    package mutating func setPriority(_ index: Int, to hasPriority: Bool) { strips[index].hasPriority = hasPriority }

    /// Returns the factor that loudness matching applies to a talker now.
    package func matchGain(_ index: Int) -> Float { strips[index].loudness.gain }

    /// Mixes a beep in, from the next block on.
    package mutating func startBeep(_ kind: Beep.Kind) { beep.start(kind) }

    /// Begins a block of `count` samples.
    package mutating func begin(count: Int) {
        Samples.silence(left, count: count)
        if isStereo { Samples.silence(right, count: count) }
        // Ducking follows the block before: the speech of this block is known only when all talkers are mixed.
        ducking.advance(count: count, isSpeechHeard: isPrioritySpeaking)
        programme.advance(count: count, isSpeechHeard: isTalkHeard)
        (isPrioritySpeaking, isTalkHeard, hasTalkSounded) = (false, false, false)
    }

    /// Adds a talker's block; nil if the talker is silent.
    /// - Parameters:
    ///   - line: level, ear and programme of the lines (the listener's channels, and private talk) on which the talker
    ///     sounds.
    ///   - isMadeUp: whether the talker's decoded sound ends in a gap, in concealment or silence. The block's level
    ///     then says nothing about the talker's loudness, and is not measured.
    package mutating func add(
        _ voice: UnsafePointer<Float>?, of index: Int, count: Int, line: LineSound = LineSound(), isMadeUp: Bool = false
    ) {
        let strip = strips + index
        let isProgramme = line.programmeDim != nil
        if let voice, !isProgramme, isLoudnessMatched || strip.pointee.hasPriority || hasProgramme {
            let power = Samples.power(voice, count: count)
            if isLoudnessMatched, !isMadeUp { strip.pointee.loudness.measure(power: power, count: count) }
            if Self.speechPower < power, 0 < line.gain * strip.pointee.gainTarget {
                isTalkHeard = true
                if strip.pointee.hasPriority { isPrioritySpeaking = true }
            }
        }
        let factors = strip.pointee.advance(
            line, count: count, hasSound: voice != nil, duck: duck(strip.pointee, on: line), isStereo: isStereo)
        guard let voice else { return }
        add(voice, count: count, factors)
        if watchesTalk, !isProgramme, !hasTalkSounded {
            let gain = max(factors.start.larger, factors.end.larger) * max(master, masterTarget)
            hasTalkSounded = TalkLimits.heardPeak < Samples.peak(voice, count: count) * gain
        }
    }

    /// Whether a talker's block is heard: louder than `TalkLimits.heardPower`, from a talker that is not muted, on a
    /// line that is not muted.
    func isHeard(_ voice: UnsafePointer<Float>, of index: Int, count: Int, line: LineSound) -> Bool {
        0 < line.gain * strips[index].gainTarget && TalkLimits.heardPower < Samples.power(voice, count: count)
    }

    private func duck(_ strip: MixerStrip, on line: LineSound) -> Float {
        let duck = strip.hasPriority ? 1 : ducking.gain(to: Ducking.priorityDepth)
        return line.programmeDim.map { min(duck, programme.gain(to: $0)) } ?? duck
    }

    /// Adds the last block of a talker that has gone; it fades to silence.
    package mutating func addLast(_ voice: UnsafePointer<Float>, of index: Int, count: Int) {
        add(voice, count: count, strips[index].leave())
    }

    /// Ends the block: limits the mix and writes it to `output`, interleaved if there are several channels.
    package mutating func finish(into output: UnsafeMutablePointer<Float>, count: Int) {
        if beep.isSounding { beep.add(to: left, isStereo ? right : nil, count: count) }
        let reach = Float(count) / Self.masterRampSamples
        let end = Ramp.step(master, towards: masterTarget, by: reach)
        if master != 1 || end != 1 {
            Ramp.apply(to: left, count: count, from: master, to: end)
            if isStereo { Ramp.apply(to: right, count: count, from: master, to: end) }
        }
        master = end
        limiter.process(left, isStereo ? right : nil, count: count)
        measure(count: count)
        if isStereo {
            MixKernels.interleave(left, right, count: count, into: output, channels: channels)
        } else {
            Samples.copy(left, to: output, count: count)
        }
    }

    /// Measures the level of the mix: for two channels, the mean of their powers.
    private mutating func measure(count: Int) {
        guard 0 < count else { return }
        let power = Samples.power(left, count: count)
        level.measure(power: isStereo ? (power + Samples.power(right, count: count)) / 2 : power, count: count)
    }

    /// Writes the finished block to `output`, left and right interleaved; both are equal if there is one channel.
    package func stereo(into output: UnsafeMutablePointer<Float>, count: Int) {
        let second = isStereo ? right : left
        for index in 0..<count { (output[2 * index], output[2 * index + 1]) = (left[index], second[index]) }
    }

    /// Passes the finished block to `take`: left and right, both equal if there is one channel.
    package func passOn(_ take: (UnsafePointer<Float>, UnsafePointer<Float>) -> Void) {
        take(left, isStereo ? right : left)
    }

    private func add(
        _ voice: UnsafePointer<Float>, count: Int, _ factors: (start: MixerStrip.Factors, end: MixerStrip.Factors)
    ) {
        MixKernels.add(voice, to: left, count: count, from: factors.start.left, to: factors.end.left)
        guard isStereo else { return }
        MixKernels.add(voice, to: right, count: count, from: factors.start.right, to: factors.end.right)
    }

    /// 12 dB.
    private static let gainMax: Float = 4
    /// 10 ms.
    private static let masterRampSamples: Float = 480
    /// -45 dBFS: quieter sound counts as the noise of an open microphone, for which neither talkers nor programme are
    /// lowered.
    private static let speechPower: Float = 3.16e-5
}

/// How far some voices are lowered while other sound is heard: talkers while one with priority speaks, and programme
/// while anybody talks.
///
/// ```
///           speech is heard                      0.2 s without speech
///   up ──────────────────▶ falling to the depth ▶ down ─────────────────▶ rising ──▶ up
///                             in 10 ms             ▲    speech again         │ in 300 ms
///                                                  └─────────────────────────┘
/// ```
package struct Ducking: BitwiseCopyable {
    /// 1 up … 0 down.
    private var height: Float = 1
    private var holdLeft = 0

    package init() {}

    /// Returns the factor for voices that are lowered to `depth`, 0 … 1.
    @_noAllocation @_noLocks
    package func gain(to depth: Float) -> Float { height == 1 ? 1 : depth + (1 - depth) * height }

    /// Moves the gain on by the time of a block of `count` samples. `isSpeechHeard`: the block before had the sound for
    /// which others are lowered.
    @_noAllocation @_noLocks
    package mutating func advance(count: Int, isSpeechHeard: Bool) {
        if isSpeechHeard {
            holdLeft = Self.holdSamples
            height = max(0, height - Float(count) / Self.attackSamples)
        } else if 0 < holdLeft {
            holdLeft -= count
        } else if height < 1 {
            height = min(1, height + Float(count) / Self.releaseSamples)
        }
    }

    /// The depth for talkers without priority: -15 dB.
    package static let priorityDepth: Float = 0.1778
    /// 10 ms.
    private static let attackSamples: Float = 480
    /// 300 ms.
    private static let releaseSamples: Float = 14_400
    /// Bridges the gaps between words: 0.2 s.
    private static let holdSamples = 9_600
}
