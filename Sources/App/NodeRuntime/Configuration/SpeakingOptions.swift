import AudioIO
package import Primitives
import SpeechProcessing
package import Voice

/// The options of `partyline run` for this node's own voice: the talk key and the processing of the microphone.
package struct SpeakingOptions: Hashable, Sendable {
    /// Sound below this level never counts as a voice. In dBFS.
    package var voxLevelDecibels = TalkLimits.voxLevelDecibels
    /// Time for which the voice-operated key stays down in a pause of the voice.
    package var voxHang = TalkLimits.voxHang
    /// Time after which a held key is released; nil for no limit.
    package var keyLimit: Interval? = TalkLimits.keyLimit
    /// Whether the node talks only while the others are silent, and mutes them while it talks.
    package var isHalfDuplex = false
    /// Whether low rumble is filtered out.
    package var hasHighPass = false
    /// Whether the noise of the room is lowered between words.
    package var hasGate = false
    /// Whether the voice is adjusted to a common level.
    package var hasAutomaticGain = false
    /// Whether feedback through loudspeaker and microphone is suppressed.
    package var hasHowlGuard = false
    /// Whether this node's output is removed from what its microphone hears.
    package var hasEchoCancellation = false
    /// Whether steady noise is removed. This needs the speech library.
    package var hasNoiseSuppression = false
    /// Effects that change the voice, for fun or as a disguise.
    package var effects: [VoiceEffect] = []
    /// Level of the user's own voice in the output, in dB; nil for none.
    package var sideToneDecibels: Double?

    package init() {}

    /// Whether this program was built with noise suppression.
    package static var isSpeechProcessingBuiltIn: Bool { SpeechProcessor.isBuiltIn }

    /// Whether the microphone's sound goes through the speech library, in blocks of 10 ms.
    package var usesSpeechProcessing: Bool { hasNoiseSuppression }

    /// A value that is malformed or out of its range is a mistake.
    init(_ reading: inout SettingsReading) {
        voxLevelDecibels =
            reading.parsed(.voxLevel) { number($0, in: TalkLimits.voxLevelRange) } ?? TalkLimits.voxLevelDecibels
        voxHang = reading.parsed(.voxHang, hang) ?? TalkLimits.voxHang
        let seconds = reading.parsed(.keyLimit) { number($0, in: 0...TalkLimits.keyLimitSecondsMax) }
        if let seconds { keyLimit = seconds == 0 ? nil : Interval(nanoseconds: Int64(seconds * 1e9)) }
        isHalfDuplex = reading.parsed(.halfDuplex) { Bool($0) } ?? false
        hasHighPass = reading.parsed(.highPass) { Bool($0) } ?? false
        hasGate = reading.parsed(.gate) { Bool($0) } ?? false
        hasAutomaticGain = reading.parsed(.agc) { Bool($0) } ?? false
        hasHowlGuard = reading.parsed(.howlGuard) { Bool($0) } ?? false
        hasEchoCancellation = reading.parsed(.echoCancel) { Bool($0) } ?? false
        hasNoiseSuppression = reading.parsed(.denoise) { Bool($0) } ?? false
        effects = reading.parsed(.effect, EffectList.parse) ?? []
        sideToneDecibels = reading.parsed(.sideTone) { number($0, in: TalkLimits.sideToneRange) }
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
    /// Nil if one of them is unknown, out of its range or repeated.
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

/// Checks the needs of echo cancellation and noise suppression when the options are resolved. Echo cancellation needs
/// one clock for both devices. Noise suppression needs its library in the program, and frames of at least 10 ms.
struct SpeechDemands {
    let options: RunOptions
    let isBuiltIn: Bool

    /// Notes each option whose need is not met.
    func check(_ reading: inout SettingsReading) {
        guard reading.isWhole else { return }
        checkEcho(&reading)
        checkNoise(&reading)
    }

    private func checkEcho(_ reading: inout SettingsReading) {
        guard options.speaking.hasEchoCancellation, let wish = reading.settings.value(.echoCancel) else { return }
        guard !reading.isFaulty(.input), !reading.isFaulty(.output) else { return }
        guard !options.input.sharesClock(with: options.output) else { return }
        reading.mistakes.note(
            wish.place, SpeechDemands.clocks(options.input, options.output) + "; expected the same alsa:NAME for both")
    }

    /// Why two devices that do not share a clock allow no echo cancellation.
    static func clocks(_ one: DeviceSpecification, _ other: DeviceSpecification) -> String {
        "echo-cancel needs input and output on one clock, and \(one) and \(other) may drift apart"
    }

    private func checkNoise(_ reading: inout SettingsReading) {
        let settings = reading.settings
        guard options.speaking.hasNoiseSuppression, let place = settings.value(.denoise)?.place else { return }
        guard isBuiltIn else {
            return reading.mistakes.note(
                place, "denoise is not in this program: install libwebrtc-audio-processing-dev and build again")
        }
        if [.studio, .low].contains(options.profile), let profile = settings.value(.profile) {
            reading.mistakes.note(
                profile.place,
                "'\(options.profile.rawValue)' has frames below the 10 ms of denoise, "
                    + "expected normal, robust or powersave")
        }
        if let frame = options.frame, frame.samples < FrameDuration.ms10.samples, let wanted = settings.value(.frame) {
            reading.mistakes.note(wanted.place, "'frame' is '\(wanted.text)', and denoise needs 10 or 20")
        }
    }
}
