import ArgumentParser
import ControlPlane
import NodeRuntime

struct VolumeCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "volume", abstract: "Sets a peer's volume here, in dB; remembered by the peer's id.",
        usage: "partyline volume [<options>] <peer> <decibels>")

    @OptionGroup var node: NodeChoice
    @Argument(help: "A name, an id, or the beginning of one.")
    var peer: String
    @Argument(parsing: .allUnrecognized, help: ArgumentHelp("-60 to 12; 0 is unchanged.", valueName: "decibels"))
    var gain: [String]

    var decibels: Double? {
        guard let number = gain.signedWord.flatMap({ Double($0) }) else { return nil }
        return ControlLimits.gainDecibelsRange.contains(number) ? number : nil
    }

    func validate() throws {
        guard decibels == nil else { return }
        let range = ControlLimits.gainDecibelsRange
        throw ValidationError("the volume must be one number from \(Int(range.lowerBound)) to \(Int(range.upperBound))")
    }

    var request: VolumeRequest { VolumeRequest(peer: peer, gainDb: decibels ?? 0) }

    func confirmation(_ answer: DoneDocument) -> String {
        "\(peer) is at \(ChannelTable.level(decibels ?? 0)) dB"
    }
}
