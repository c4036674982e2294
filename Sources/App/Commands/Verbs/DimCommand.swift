import ArgumentParser
import ControlPlane
import NodeRuntime

struct DimCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "dim", abstract: "Lowers everything that is heard here, until `dim 0` or the end of the node.")

    @OptionGroup var node: NodeChoice
    @Argument(help: ArgumentHelp("By 0 to 60; 0 ends it.", valueName: "decibels"))
    var decibels = 20.0

    func validate() throws {
        guard ControlLimits.dimDecibelsRange.contains(decibels) else {
            throw ValidationError("dim takes 0 to \(Int(ControlLimits.dimDecibelsRange.upperBound)) dB")
        }
    }

    var request: DimRequest { DimRequest(dimDb: decibels) }

    func confirmation(_ answer: DoneDocument) -> String {
        decibels == 0 ? "nothing is lowered" : "everything is lowered by \(Figures.decimal(decibels, columns: 5)) dB"
    }
}
