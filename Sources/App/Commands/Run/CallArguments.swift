import ArgumentParser
import NodeRuntime

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
            "What you hear as a tone: call, urgent, join, leave, busy, or none (call,urgent).", valueName: "list"))
    var tones: String?

    func add(to settings: inout RunSettings) {
        settings.set(.grantCallAll, option: grantCallAll)
        settings.set(.grantCloseMicrophone, option: grantCloseMicrophone)
        settings.set(.tones, option: tones)
    }
}
