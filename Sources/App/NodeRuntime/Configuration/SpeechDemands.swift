import AudioIO
import Primitives

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
