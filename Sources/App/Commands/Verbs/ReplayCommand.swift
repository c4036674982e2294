import ArgumentParser
import ControlPlane
import NodeRuntime

struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Writes the latest seconds that were heard into a WAV file.",
        discussion: "The node keeps them if it was started with --replay SECONDS.")

    @OptionGroup var node: NodeChoice
    @Argument(help: "Number of seconds, 1 to 300.")
    var seconds = 30
    @Option(
        help: ArgumentHelp(
            "The folder for the file (~/.local/share/partyline or $XDG_DATA_HOME/partyline).", valueName: "dir"))
    var dir: String?

    func validate() throws {
        guard (1...ControlLimits.replaySecondsMax).contains(seconds) else {
            throw ValidationError("replay takes 1 to \(ControlLimits.replaySecondsMax) seconds")
        }
    }

    func run() throws {
        let directory = Surroundings.absolute(dir) ?? Surroundings.paths.recordingsDirectory
        let document = try node.ask(ReplayRequest(seconds: seconds, directory: directory))
        let kept = document.lengthS < seconds ? " (\(document.lengthS) s: the node keeps no more)" : ""
        try Output.line(Output.safe(document.path) + kept)
    }
}
