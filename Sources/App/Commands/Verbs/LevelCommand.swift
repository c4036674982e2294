import ArgumentParser
import ControlPlane
import NodeRuntime

struct LevelCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "level", abstract: "Sets the level of a channel here, in dB.",
        usage: "partyline level [<options>] <channel> <decibels>")

    @OptionGroup var node: NodeChoice
    @Argument(help: "The channel's name.")
    var channel: String
    @Argument(parsing: .allUnrecognized, help: ArgumentHelp("-60 to 12; 0 is unchanged.", valueName: "decibels"))
    var level: [String]

    var decibels: Double? {
        guard let number = level.signedWord.flatMap({ Double($0) }) else { return nil }
        return ControlLimits.levelDecibelsRange.contains(number) ? number : nil
    }

    func validate() throws {
        guard decibels == nil else { return }
        throw ValidationError("the level must be one number from -60 to 12")
    }

    var request: LevelRequest { LevelRequest(channel: channel, levelDb: decibels ?? 0) }

    func confirmation(_ answer: ChannelsDocument) -> String {
        "channel \(channel) is at \(ChannelTable.level(decibels ?? 0)) dB"
    }
}
