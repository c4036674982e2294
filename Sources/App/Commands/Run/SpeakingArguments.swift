import ArgumentParser
import NodeRuntime

/// The options of `partyline run` about the own voice; texts here, as those of `RunArguments`.
struct SpeakingArguments: ParsableArguments {
    // Unconditional, since the value begins with a dash as options do.
    @Option(parsing: .unconditional, help: ArgumentHelp("With --talk vox: no voice below it (-50).", valueName: "dBFS"))
    var voxLevel: String?
    @Option(help: ArgumentHelp("With --talk vox: talks on so long in a pause (400).", valueName: "ms"))
    var voxHang: String?
    @Option(help: ArgumentHelp("Lets go of a held talk key after that; 0 never (120).", valueName: "s"))
    var keyLimit: String?
    @Flag(inversion: .prefixedNo, help: "One direction at a time: who has begun to talk goes on.")
    var halfDuplex: Bool?
    @Flag(inversion: .prefixedNo, help: "Takes rumble below 90 Hz away.")
    var highPass: Bool?
    @Flag(inversion: .prefixedNo, help: "Turns the room down while you do not speak.")
    var gate: Bool?
    @Flag(inversion: .prefixedNo, help: "Brings your voice to a common level, gently.")
    var agc: Bool?
    @Flag(inversion: .prefixedNo, help: "Turns the microphone down where feedback begins to howl.")
    var howlGuard: Bool?
    @Flag(inversion: .prefixedNo, help: "Takes out what your loudspeaker brings into your microphone.")
    var echoCancel: Bool?
    @Flag(inversion: .prefixedNo, help: "Takes steady noise out of your voice.")
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
