/// Where talkers become one sound: a strip for each, ducking, one limiter for all.
///
/// With one channel nothing here knows of places: a talker at full volume passes as it is.
package struct Mixer: ~Copyable {
    // A pointer comes first: see `VoiceReceiver`.
    private let strips: UnsafeMutablePointer<MixerStrip>
    private let left: UnsafeMutablePointer<Float>
    private let right: UnsafeMutablePointer<Float>
    /// 1, or more for the left and the right side in turn.
    package var channels: Int
    /// Whether talkers are brought to one loudness.
    package var isLoudnessMatched = false
    /// What the whole mix is multiplied by, reached over 10 ms.
    package var masterTarget: Float = 1
    /// Loudness of the mix.
    package private(set) var level = LevelMeter()
    private var master: Float = 1
    private var limiter = Limiter()
    private var ducking = Ducking()
    private var beep = Beep()
    /// In the block that is being mixed.
    private var isPrioritySpeaking = false

    /// For `VoiceLimits.talkersMax` talkers.
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

    /// Another talker has this place: full volume, in the middle, unknown loudness.
    package mutating func open(_ index: Int) { strips[index] = MixerStrip() }

    /// The listener's volume, bounded to 0 … 4; reached over 10 ms.
    package mutating func setGain(_ index: Int, to gain: Float) {
        strips[index].gainTarget = gain.isFinite ? min(Self.gainMax, max(0, gain)) : 1
    }

    /// From -1, left, to 1, right.
    package mutating func setPan(_ index: Int, to pan: Float) {
        strips[index].panTarget = pan.isFinite ? min(1, max(-1, pan)) : 0
    }

    /// Whether others step back while this talker speaks.
    package mutating func setPriority(_ index: Int, to hasPriority: Bool) { strips[index].hasPriority = hasPriority }

    /// What loudness matching makes of a talker now.
    package func matchGain(_ index: Int) -> Float { strips[index].loudness.gain }

    /// Mixes a beep in, from the next block on.
    package mutating func startBeep(_ kind: Beep.Kind) { beep.start(kind) }

    /// Begins a block of `count` samples.
    package mutating func begin(count: Int) {
        Samples.silence(left, count: count)
        if isStereo { Samples.silence(right, count: count) }
        // Of the block before: this one's talkers are not known until all are mixed.
        ducking.advance(count: count, isPrioritySpeaking: isPrioritySpeaking)
        isPrioritySpeaking = false
    }

    /// Adds a talker's block; nil where it is silent.
    package mutating func add(_ voice: UnsafePointer<Float>?, of index: Int, count: Int) {
        let strip = strips + index
        if let voice, isLoudnessMatched || strip.pointee.hasPriority {
            let power = Samples.power(voice, count: count)
            if isLoudnessMatched { strip.pointee.loudness.measure(power: power, count: count) }
            if strip.pointee.hasPriority, Self.speechPower < power { isPrioritySpeaking = true }
        }
        let factors = strip.pointee.advance(count: count, duck: ducking.gain, isStereo: isStereo)
        if let voice { add(voice, count: count, factors) }
    }

    /// Adds the last block of a talker who has gone.
    package mutating func addLast(_ voice: UnsafePointer<Float>, of index: Int, count: Int) {
        add(voice, count: count, strips[index].leave())
    }

    /// Ends the block: limits it and writes it out, interleaved where there are several channels.
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
        level.measure(UnsafeBufferPointer(start: left, count: count))
        if isStereo {
            level.measure(UnsafeBufferPointer(start: right, count: count))
            MixKernels.interleave(left, right, count: count, into: output, channels: channels)
        } else {
            Samples.copy(left, to: output, count: count)
        }
    }

    /// The block that was finished, left and right in turn; the same on both where there is one channel.
    package func stereo(into output: UnsafeMutablePointer<Float>, count: Int) {
        let second = isStereo ? right : left
        for index in 0..<count { (output[2 * index], output[2 * index + 1]) = (left[index], second[index]) }
    }

    private func add(
        _ voice: UnsafePointer<Float>, count: Int, _ factors: (start: MixerStrip.Factors, end: MixerStrip.Factors)
    ) {
        MixKernels.add(voice, to: left, count: count, from: factors.start.left, to: factors.end.left)
        guard isStereo else { return }
        MixKernels.add(voice, to: right, count: count, from: factors.start.right, to: factors.end.right)
    }

    private static let gainMax: Float = 4
    private static let masterRampSamples: Float = 480
    /// -45 dBFS: less is the breath of an open microphone, and nobody has to step back for it.
    private static let speechPower: Float = 3.16e-5
}
