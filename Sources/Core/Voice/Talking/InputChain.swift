/// What happens to the sound of the microphone before it is coded. The order, and the only place
/// that says it:
///
/// ```
///  microphone ─▶ level before ─▶ [echo] ─▶ [denoise] ─▶ high-pass ─▶ howl guard ─▶ noise gate
///              (meter of `status`)       10 ms, its own delay                             │
///      coder ◀─ level after ◀─ talk key ◀─ side tone ◀─ cough ◀─ [effects] ◀─ gain ◀───┘
/// ```
/// Rumble goes first, for it misleads every judge behind it; the gate comes before the gain, or the
/// gain would lift what the gate is to shut out. No stage looks ahead: none adds delay. What is
/// switched off costs nothing.
package struct InputChain: BitwiseCopyable {
    /// Those that can be switched off.
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

    /// Works on the samples in place.
    @_noAllocation @_noLocks
    package mutating func process(_ samples: UnsafeMutablePointer<Float>, count: Int) {
        guard stages.rawValue != 0 else { return }
        if has(.highPass) { highPass.process(samples, count: count) }
        if has(.howlGuard) { howlGuard.process(samples, count: count) }
        guard has(.gate) || has(.gain) else { return }
        // In short pieces, so that the gate opens for the piece in which the word begins.
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

    // Not `contains`: its generic form allocates where it is not specialised.
    private func has(_ stage: Stages) -> Bool { stages.rawValue & stage.rawValue != 0 }

    /// Opens at once, stays open over the pauses inside a word.
    private static let detection = VoiceDetector.Settings(attackSegments: 1, hangSegments: 60, powerMin: 1e-6)
}
