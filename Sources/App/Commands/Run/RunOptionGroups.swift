import ArgumentParser
import NodeRuntime

/// The options of `partyline run` for the own voice; strings, as those of `RunArguments`.
struct SpeakingArguments: ParsableArguments {
    // Parsed unconditionally, because a negative value begins with a dash, as options do.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("With --talk vox: quieter sound is no voice, -80 to -10 (-50).", valueName: "dBFS"))
    var voxLevel: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "With --talk vox: keeps talking for this long after the voice, 50 to 5000 (400).", valueName: "ms"))
    var voxHang: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Releases a talk key that is held longer, up to 86400; 0 releases none (120).", valueName: "s"))
    var keyLimit: String?
    @Flag(
        inversion: .prefixedNo,
        help: "One direction at a time: your key waits while others talk, and you hear nobody while you talk.")
    var halfDuplex: Bool?
    @Flag(inversion: .prefixedNo, help: "Removes rumble below 90 Hz.")
    var highPass: Bool?
    @Flag(inversion: .prefixedNo, help: "Attenuates the noise of the room while you do not speak.")
    var gate: Bool?
    @Flag(inversion: .prefixedNo, help: "Brings your voice slowly to a common level.")
    var agc: Bool?
    @Flag(inversion: .prefixedNo, help: "Attenuates the microphone when feedback begins to howl.")
    var howlGuard: Bool?
    @Flag(inversion: .prefixedNo, help: "Removes the sound of your loudspeaker from your microphone.")
    var echoCancel: Bool?
    @Flag(inversion: .prefixedNo, help: "Removes steady noise from your voice.")
    var denoise: Bool?
    @Option(help: ArgumentHelp("Changes your voice: pitch:-12 to 12, reverb:1 to 100 (off).", valueName: "list"))
    var effect: String?
    @Option(
        parsing: .unconditional, help: ArgumentHelp("Your voice in your own output, -40 to 0 (off).", valueName: "dB"))
    var sideTone: String?

    func add(to settings: inout RunSettings) {
        settings.set(.voxLevel, option: voxLevel)
        settings.set(.voxHang, option: voxHang)
        settings.set(.keyLimit, option: keyLimit)
        settings.set(.halfDuplex, flag: halfDuplex)
        settings.set(.highPass, flag: highPass)
        settings.set(.gate, flag: gate)
        settings.set(.agc, flag: agc)
        settings.set(.howlGuard, flag: howlGuard)
        settings.set(.echoCancel, flag: echoCancel)
        settings.set(.denoise, flag: denoise)
        settings.set(.effect, option: effect)
        settings.set(.sideTone, option: sideTone)
    }
}

/// The options of `partyline run` for calls; strings, as those of `RunArguments`.
struct CallArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Whose calls to everybody come in here: anyone or nobody (anyone); roles in config.toml.", valueName: "who")
    )
    var grantCallAll: String?
    @Option(
        help: ArgumentHelp(
            "Whose request closes this microphone: anyone or nobody (anyone); roles in config.toml.", valueName: "who"))
    var grantCloseMicrophone: String?
    @Option(
        help: ArgumentHelp(
            "What you hear as a tone: call, urgent, join, leave, busy, talk, or none (call,urgent).",
            valueName: "list"))
    var tones: String?

    func add(to settings: inout RunSettings) {
        settings.set(.grantCallAll, option: grantCallAll)
        settings.set(.grantCloseMicrophone, option: grantCloseMicrophone)
        settings.set(.tones, option: tones)
    }
}
