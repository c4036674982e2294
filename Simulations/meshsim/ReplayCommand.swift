import ArgumentParser
import MeshSimulator

struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Plays a kept run again: exactly its options and its faults.",
        discussion: "Files are written by `run --failures`, `swarm --failures` and `shrink --out`.")

    @Argument(help: "A kept run.")
    var file: String

    @OptionGroup var playing: PlayOptions

    @Flag(help: "Print one JSON document (schema partyline.sim/1).")
    var json = false

    func run() throws {
        let kept = try RunFile.read(file)
        try playing.play(
            kept.tape.trimmed, sealing: kept.sealing, replay: "meshsim replay \(file)", isJSON: json
        ).end()
    }
}
