import ArgumentParser
import ControlPlane

struct PanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pan", abstract: "Sets where a peer stands between the loudspeakers; remembered by its id.",
        discussion: "Heard where the sound card has two channels. Without a choice each peer has a place of its own.")

    @OptionGroup var node: NodeChoice
    @Argument(help: "A name, a short id or a whole id.")
    var peer: String
    @Argument(parsing: .allUnrecognized, help: ArgumentHelp("-100 (left) to 100 (right), or auto.", valueName: "place"))
    var place: [String]

    func validate() throws {
        let word = place.signedWord
        if word == "auto" { return }
        guard let number = word.flatMap({ Int($0) }), ControlLimits.panRange.contains(number) else {
            throw ValidationError("the place must be one whole number from -100 to 100, or auto")
        }
    }

    func run() throws {
        let request = ControlRequest.pan(peer: peer, pan: place.signedWord.flatMap { Int($0) })
        try node.connect().perform(request, timeoutSeconds: NodeChoice.timeoutSeconds)
    }
}
