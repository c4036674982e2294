/// The input chain: the processing of the microphone's sound before it is coded. This diagram is the only place that
/// shows the order of all stages; `InputChain` itself is the part from high-pass to gain:
///
/// ```
///  microphone ─▶ level before ─▶ [echo] ─▶ [denoise] ─▶ high-pass ─▶ howl guard ─▶ noise gate
///              (meter of `status`)       10 ms, its own delay                             │
///      coder ◀─ level after ◀─ talk key ◀─ side tone ◀─ cough ◀─ [effects] ◀─ gain ◀───┘
/// ```
/// The high-pass comes first, because rumble misleads all detectors after it. The gate comes before the gain, because
/// the gain would raise the noise that the gate must suppress. No stage from high-pass to gain looks ahead, so none
/// adds delay. A stage that is switched off costs no processor time.
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

    /// Speech from the first loud segment, until 150 ms after the last: pauses inside a word do not end it. Nothing
    /// below -60 dBFS is speech.
    private static let detection = VoiceDetector.Settings(attackSegments: 1, hangSegments: 60, powerMin: 1e-6)
}
