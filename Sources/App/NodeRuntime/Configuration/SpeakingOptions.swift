package import Primitives
import SpeechProcessing
package import Voice

/// How the own voice is picked up, by the options of `partyline run` that are about it.
package struct SpeakingOptions: Hashable, Sendable {
    /// Below it nothing is taken for a voice, in dBFS.
    package var voxLevelDecibels = TalkLimits.voxLevelDecibels
    /// How long the voice-operated key stays down in a pause.
    package var voxHang = TalkLimits.voxHang
    /// After which a held key is let go; nil never.
    package var keyLimit: Interval? = TalkLimits.keyLimit
    /// The key waits until the others are silent, and mutes them.
    package var isHalfDuplex = false
    /// Rumble is taken away.
    package var hasHighPass = false
    /// The room is turned down between words.
    package var hasGate = false
    /// The voice is brought to a common level.
    package var hasAutomaticGain = false
    /// Feedback is turned down.
    package var hasHowlGuard = false
    /// The own output is taken out of the own input.
    package var hasEchoCancellation = false
    /// Steady noise is taken out; needs the library.
    package var hasNoiseSuppression = false
    /// For fun, or so as not to be known.
    package var effects: [VoiceEffect] = []
    /// Own voice in the own output, in dB; nil is not at all.
    package var sideToneDecibels: Double?

    package init() {}

    /// Whether noise suppression is in this program.
    package static var isSpeechProcessingBuiltIn: Bool { SpeechProcessor.isBuiltIn }

    /// Whether the microphone's sound goes through the speech library, in blocks of 10 ms.
    package var usesSpeechProcessing: Bool { hasNoiseSuppression }

    /// - Throws: `ConfigurationError` with the place of a value that is out of its range.
    init(_ settings: RunSettings) throws(ConfigurationError) {
        voxLevelDecibels =
            try settings.parsed(.voxLevel) { number($0, in: TalkLimits.voxLevelRange) } ?? TalkLimits.voxLevelDecibels
        voxHang = try settings.parsed(.voxHang, hang) ?? TalkLimits.voxHang
        let seconds = try settings.parsed(.keyLimit) { number($0, in: 0...TalkLimits.keyLimitSecondsMax) }
        if let seconds { keyLimit = seconds == 0 ? nil : Interval(nanoseconds: Int64(seconds * 1e9)) }
        isHalfDuplex = try settings.parsed(.halfDuplex) { Bool($0) } ?? false
        hasHighPass = try settings.parsed(.highPass) { Bool($0) } ?? false
        hasGate = try settings.parsed(.gate) { Bool($0) } ?? false
        hasAutomaticGain = try settings.parsed(.agc) { Bool($0) } ?? false
        hasHowlGuard = try settings.parsed(.howlGuard) { Bool($0) } ?? false
        hasEchoCancellation = try settings.parsed(.echoCancel) { Bool($0) } ?? false
        hasNoiseSuppression = try settings.parsed(.denoise) { Bool($0) } ?? false
        effects = try settings.parsed(.effect, EffectList.parse) ?? []
        sideToneDecibels = try settings.parsed(.sideTone) { number($0, in: TalkLimits.sideToneRange) }
    }
}

private func number(_ text: String, in range: ClosedRange<Double>) -> Double? {
    Double(text).flatMap { range.contains($0) ? $0 : nil }
}

private func hang(_ text: String) -> Interval? {
    let bounds = TalkLimits.voxHangMilliseconds
    return RunResolution.milliseconds(
        text, microsecondsIn: (bounds.lowerBound * 1_000)...(bounds.upperBound * 1_000))
}

/// Voice effects as a person writes them: `pitch:-4`, `reverb:30`, or both with a comma between.
private enum EffectList {
    /// Nil where one of them is none, or stands there twice.
    static func parse(_ text: String) -> [VoiceEffect]? {
        var effects: [VoiceEffect] = []
        var kinds: Set<Substring> = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = word.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, let number = Int(parts[1]), kinds.insert(parts[0]).inserted else { return nil }
            switch parts[0] {
            case "pitch" where VoiceEffect.semitones.contains(number): effects.append(.pitch(semitones: number))
            case "reverb" where VoiceEffect.percents.contains(number): effects.append(.reverb(percent: number))
            default: return nil
            }
        }
        return effects
    }
}
