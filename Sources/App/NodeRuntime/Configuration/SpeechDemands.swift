import Primitives

/// What echo cancellation and noise suppression need, judged where the options are resolved: the
/// library in the program, frames of its 10 ms, and for echo one clock for both devices.
struct SpeechDemands {
    let settings: RunSettings
    let options: RunOptions
    let isBuiltIn: Bool

    func check() throws(ConfigurationError) {
        guard
            let place = place(.echoCancel, options.speaking.hasEchoCancellation)
                ?? place(.denoise, options.speaking.hasNoiseSuppression)
        else { return }
        guard isBuiltIn else {
            let remedy = "install libwebrtc-audio-processing-dev and build again"
            throw ConfigurationError(place, "echo-cancel and denoise are not in this program: \(remedy)")
        }
        if [.studio, .low].contains(options.profile), let profile = settings.value(.profile) {
            throw ConfigurationError(
                profile.place,
                "'\(options.profile.rawValue)' has frames below the 10 ms of echo-cancel and denoise, "
                    + "expected normal, robust or powersave")
        }
        if let frame = options.frame, frame.samples < FrameDuration.ms10.samples, let wanted = settings.value(.frame) {
            throw ConfigurationError(
                wanted.place, "'frame' is '\(wanted.text)', and echo-cancel and denoise need 10 or 20")
        }
        guard !options.speaking.hasEchoCancellation || options.input.sharesClock(with: options.output) else {
            throw ConfigurationError(
                place,
                "echo-cancel needs input and output on one clock, and \(options.input) and \(options.output) "
                    + "may drift apart; expected the same alsa:NAME for both")
        }
    }

    private func place(_ key: RunKey, _ isWanted: Bool) -> ConfigurationError.Place? {
        isWanted ? settings.value(key)?.place : nil
    }
}
