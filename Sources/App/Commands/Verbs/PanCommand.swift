import ArgumentParser
import ControlPlane
import NodeRuntime

struct PanCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "pan", abstract: "Sets a peer's place between the loudspeakers; remembered by the peer's id.",
        usage: "partyline pan [<options>] <peer> <place>",
        discussion: "Needs a sound card with two channels. A peer without a chosen place gets one by its id.")

    @OptionGroup var node: NodeChoice
    @Argument(help: "A name, an id, or the beginning of one.")
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

    var request: PanRequest { PanRequest(peer: peer, pan: place.signedWord.flatMap { Int($0) }) }

    func confirmation(_ answer: DoneDocument) -> String {
        request.pan.map { "\(peer) has the place \($0)" } ?? "\(peer) has the place that its id gives"
    }
}
