/// The input chain: the processing of the microphone's sound before it is coded. This diagram is the only place that
/// shows the order of all stages; `InputChain` itself is the part from high-pass to gain:
///
/// ```
///  microphone ─▶ level before ─▶ [echo] ─▶ [denoise] ─▶ high-pass ─▶ howl guard ─▶ noise gate
///              (meter of `status`)       10 ms, its own delay                             │
///      coder ◀─ level after ◀─ talk key ◀─ side tone ◀─ cough ◀─ [effects] ◀─ gain ◀───┘
/// ```
/// The high-pass comes first of the stages of `InputChain`, because rumble misleads all detectors after it. The gate
/// comes before the gain, because the gain would raise the noise that the gate must suppress. No stage from high-pass
/// to gain looks ahead, so none adds delay. A stage that is switched off costs no processor time.
package struct InputChain: BitwiseCopyable {
    /// The stages that can be switched off.
    package struct Stages: OptionSet, Hashable, Sendable, BitwiseCopyable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let highPass = Stages(rawValue: 1)
        package static let howlGuard = Stages(rawValue: 2)
        package static let gate = Stages(rawValue: 4)
        package static let gain = Stages(rawValue: 8)
    }

    package let stages: Stages
    package private(set) var howlGuard = HowlGuard()
    package private(set) var gate = NoiseGate()
    package private(set) var gain = AutomaticGain()
    private var highPass = HighPass()
    private var detector = VoiceDetector(Self.detection)

    package init(_ stages: Stages) { self.stages = stages }

    /// Applies the stages to `count` samples in place.
    @_noAllocation @_noLocks
    package mutating func process(_ samples: UnsafeMutablePointer<Float>, count: Int) {
        guard stages.rawValue != 0 else { return }
        if has(.highPass) { highPass.process(samples, count: count) }
        if has(.howlGuard) { howlGuard.process(samples, count: count) }
        guard has(.gate) || has(.gain) else { return }
        // In pieces of 2.5 ms, so that the gate opens in the piece in which a word begins.
        var start = 0
        while start < count {
            let length = min(TalkLimits.segmentSamples, count - start)
            let piece = samples + start
            let isSpeech = detector.measure(piece, count: length)
            if has(.gate) { gate.process(piece, count: length, isOpen: isSpeech) }
            if has(.gain) { gain.process(piece, count: length, isSpeech: isSpeech) }
            start += length
        }
    }

    // `OptionSet.contains` is generic, and allocates if the compiler does not specialise it.
    private func has(_ stage: Stages) -> Bool { stages.rawValue & stage.rawValue != 0 }

    /// Speech from the first loud segment, until 150 ms after the last: pauses inside a word do not end it. No sound
    /// below -60 dBFS starts speech.
    private static let detection = VoiceDetector.Settings(attackSegments: 1, hangSegments: 60, powerMin: 1e-6)
}

/// Removes rumble: a Butterworth high-pass of second order at 90 Hz, which falls by 12 dB an octave and hardly delays
/// the frequencies of speech.
///
/// The coefficients come from the bilinear transform for 48 kHz. The state is in double precision, since the poles lie
/// close to 1.
package struct HighPass: BitwiseCopyable {
    private var first = 0.0
    private var second = 0.0

    package init() {}

    /// Filters `count` samples in place.
    @_noAllocation @_noLocks
    package mutating func process(_ samples: UnsafeMutablePointer<Float>, count: Int) {
        for index in 0..<count { samples[index] = pass(samples[index]) }
    }

    /// Filters one sample (transposed direct form II).
    @_noAllocation @_noLocks
    mutating func pass(_ sample: Float) -> Float {
        let x = Double(sample) * Self.b0
        let y = x + first
        first = -2 * x - Self.a1 * y + second
        second = x - Self.a2 * y
        return Float(y)
    }

    /// Coefficients of the samples (`b`) and of the former outputs (`a`).
    private static let b0 = 0.991_704_195_577_231
    private static let a1 = -1.983_339_569_599_340
    private static let a2 = 0.983_477_212_709_585
}

/// Attenuates the noise of the room by 20 dB while nobody speaks into this microphone. It does not mute, so that a soft
/// word can still be heard. Opens within 1 ms, closes within 50 ms.
package struct NoiseGate: BitwiseCopyable {
    private var gain: Float = 1

    package init() {}

    /// Whether the sound is attenuated by more than 6 dB now.
    package var isClosed: Bool { gain < 0.5 }

    /// Opens or closes the gate without a click, and applies its gain to `count` samples in place.
    @_noAllocation @_noLocks
    package mutating func process(_ samples: UnsafeMutablePointer<Float>, count: Int, isOpen: Bool) {
        let target: Float = isOpen ? 1 : Self.closedGain
        guard gain != 1 || target != 1 else { return }
        let step = isOpen ? Self.openStep : -Self.closeStep
        for index in 0..<count {
            gain = isOpen ? min(target, gain + step) : max(target, gain + step)
            samples[index] *= gain
        }
    }

    /// -20 dB.
    private static let closedGain: Float = 0.1
    /// Change of the gain in a sample: from -20 dB to 0 dB in 1 ms.
    private static let openStep: Float = 0.9 / 48
    /// The same in the other direction, in 50 ms.
    private static let closeStep: Float = 0.9 / 2_400
}

/// Automatic gain control: brings the voice towards -23 dBFS.
///
/// The gain lies between -6 and +15 dB. It follows the voice by 3 dB a second, and only while somebody speaks, so the
/// noise of the room does not become louder in a pause. If a peak would exceed -3 dBFS, the gain falls at once, also in
/// a pause.
package struct AutomaticGain: BitwiseCopyable {
    /// Factor for the samples now.
    package private(set) var gain: Float = 1
    private var speechPower: Float = Self.targetPower

    package init() {}

    /// Applies the gain to `count` samples in place. The loudness of the voice is learned only if `isSpeech`.
    @_noAllocation @_noLocks
    package mutating func process(_ samples: UnsafeMutablePointer<Float>, count: Int, isSpeech: Bool) {
        guard 0 < count else { return }
        var sum: Float = 0
        var peak: Float = 0
        for index in 0..<count {
            sum += samples[index] * samples[index]
            peak = max(peak, abs(samples[index]))
        }
        let start = gain
        if isSpeech { follow(sum / Float(count), share: Float(count)) }
        gain = min(gain, Self.peakMax / max(peak, Self.peakMax / Self.gainMax))
        Ramp.apply(to: samples, count: count, from: min(start, gain * Self.peakSlack), to: gain)
    }

    private mutating func follow(_ power: Float, share: Float) {
        speechPower += (power - speechPower) * min(1, share / Self.windowSamples)
        let step = 1 + Self.stepPerSample * share
        let reached = speechPower * gain * gain
        if reached < Self.targetPower * Self.near {
            gain = min(gain * step, Self.gainMax)
        } else if Self.targetPower < reached * Self.near {
            gain = max(gain / step, Self.gainMin)
        }
    }

    /// -23 dBFS.
    private static let targetPower: Float = 0.005
    /// The gain stays as it is while the voice is within 0.5 dB of the target.
    private static let near: Float = 0.89
    /// 400 ms.
    private static let windowSamples: Float = 19_200
    /// 3 dB a second as a factor: ln(10^(3/20)) / 48,000.
    private static let stepPerSample: Float = 0.345 / 48_000
    /// -6 dB.
    private static let gainMin: Float = 0.5
    /// +15 dB.
    private static let gainMax: Float = 5.62
    /// -3 dBFS.
    private static let peakMax: Float = 0.708
    /// Largest ratio of the automatic gain at the start of a block to that at its end: 1.6 dB.
    private static let peakSlack: Float = 1.2
}

/// Silences the microphone while the cough switch is held. A fade of 2.5 ms at each end keeps it free of clicks.
package struct CoughMute: BitwiseCopyable {
    private var isMute = false

    package init() {}

    /// Works in place on a period of `count` samples.
    @_noAllocation @_noLocks
    package mutating func process(_ samples: UnsafeMutablePointer<Float>, count: Int, isCoughing: Bool) {
        let fade = min(count, Self.fadeSamples)
        switch (isMute, isCoughing) {
        case (false, false):
            break
        case (false, true):
            Ramp.apply(to: samples, count: fade, from: 1, to: 0)
            Samples.silence(samples + fade, count: count - fade)
        case (true, true):
            Samples.silence(samples, count: count)
        case (true, false):
            Ramp.apply(to: samples, count: fade, from: 0, to: 1)
        }
        isMute = isCoughing
    }

    /// 2.5 ms.
    private static let fadeSamples = 120
}
