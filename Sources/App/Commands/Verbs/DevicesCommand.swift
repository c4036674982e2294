import ArgumentParser
import ControlPlane
import NodeRuntime

struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "Lists sound devices, as --input and --output take them.")

    @OptionGroup var node: NodeChoice
    @Flag(help: "Prints the document partyline.devices/1.")
    var json = false

    func run() throws {
        // A running node also marks the devices that it uses; otherwise the list is the same.
        let fromNode = try? ControlClient.reaching(node.options())
            .ask(DevicesRequest(), timeoutSeconds: NodeChoice.timeoutSeconds)
        let document = fromNode ?? DevicesDocument.ofThisMachine()
        if json { Output.document(document) } else { Output.lines(DevicesCommand.lines(document)) }
    }

    static func lines(_ document: DevicesDocument) -> [String] {
        func section(_ title: String, _ devices: [DevicesDocument.Device]) -> [String] {
            let rows = devices.flatMap { device in
                let name = "\(device.inUse ? "*" : " ") \(Output.safe(device.name))"
                return [name] + Columns.sentence(Output.safe(device.text), label: "      ")
            }
            return [title] + (rows.isEmpty ? ["  none; `partyline doctor` says why"] : rows)
        }
        let isAnyUsed = (document.inputs + document.outputs).contains(where: \.inUse)
        return section("inputs", document.inputs) + section("outputs", document.outputs)
            + (isAnyUsed ? ["* is what this node uses"] : []) + ["besides: file:PATH, tone:HZ (input only), null"]
    }
}
