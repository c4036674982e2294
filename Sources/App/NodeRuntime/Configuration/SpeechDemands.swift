import AudioIO
import Primitives

/// Checks the needs of echo cancellation and noise suppression when the options are resolved. Echo cancellation needs
/// one clock for both devices. Noise suppression needs its library in the program, and frames of at least 10 ms.
struct SpeechDemands {
    let settings: RunSettings
    let options: RunOptions
    let isBuiltIn: Bool

    /// - Throws: `ConfigurationError` with the place of the option whose need is not met.
    func check() throws(ConfigurationError) {
        try checkEcho()
        try checkNoise()
    }

    private func checkEcho() throws(ConfigurationError) {
        guard options.speaking.hasEchoCancellation, let place = settings.value(.echoCancel)?.place else { return }
        guard !options.input.sharesClock(with: options.output) else { return }
        throw ConfigurationError(
            place, SpeechDemands.clocks(options.input, options.output) + "; expected the same alsa:NAME for both")
    }

    /// Why two devices that do not share a clock allow no echo cancellation.
    static func clocks(_ one: DeviceSpecification, _ other: DeviceSpecification) -> String {
        "echo-cancel needs input and output on one clock, and \(one) and \(other) may drift apart"
    }

    private func checkNoise() throws(ConfigurationError) {
        guard options.speaking.hasNoiseSuppression, let place = settings.value(.denoise)?.place else { return }
        guard isBuiltIn else {
            throw ConfigurationError(
                place,
                "denoise is not in this program: install libwebrtc-audio-processing-dev and build again")
        }
        if [.studio, .low].contains(options.profile), let profile = settings.value(.profile) {
            throw ConfigurationError(
                profile.place,
                "'\(options.profile.rawValue)' has frames below the 10 ms of denoise, "
                    + "expected normal, robust or powersave")
        }
        if let frame = options.frame, frame.samples < FrameDuration.ms10.samples, let wanted = settings.value(.frame) {
            throw ConfigurationError(wanted.place, "'frame' is '\(wanted.text)', and denoise needs 10 or 20")
        }
    }
}
