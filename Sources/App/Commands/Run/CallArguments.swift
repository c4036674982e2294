import ArgumentParser
import NodeRuntime

/// The options of `partyline run` for calls; strings, as those of `RunArguments`.
struct CallArguments: ParsableArguments {
    @Option(help: ArgumentHelp("Who may call everybody, this node among them: anyone or nobody.", valueName: "who"))
    var grantCallAll: String?
    @Option(help: ArgumentHelp("Who may close the microphone of this node: anyone or nobody.", valueName: "who"))
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
