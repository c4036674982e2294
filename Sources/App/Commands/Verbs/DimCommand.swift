import ArgumentParser
import ControlPlane
import NodeRuntime

struct DimCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "dim", abstract: "Lowers everything that is heard here, until `dim 0` or the end of the node.",
        usage: "partyline dim [<options>] [<decibels>]")

    @OptionGroup var node: NodeChoice
    @Argument(parsing: .allUnrecognized, help: ArgumentHelp("By 0 to 60 (20); 0 ends it.", valueName: "decibels"))
    var words: [String] = []

    private static let decibelsStandard = 20.0

    var decibels: Double? {
        if words.isEmpty { return DimCommand.decibelsStandard }
        guard let number = words.signedWord.flatMap({ Double($0) }) else { return nil }
        return ControlLimits.dimDecibelsRange.contains(number) ? number : nil
    }

    func validate() throws {
        guard decibels == nil else { return }
        let most = Int(ControlLimits.dimDecibelsRange.upperBound)
        throw ValidationError("dim takes one number from 0 to \(most), in dB")
    }

    var request: DimRequest { DimRequest(dimDb: decibels ?? DimCommand.decibelsStandard) }

    func confirmation(_ answer: DoneDocument) -> String {
        let lowered = request.dimDb
        return lowered == 0
            ? "nothing is lowered" : "everything is lowered by \(Figures.decimal(lowered, columns: 5)) dB"
    }
}
