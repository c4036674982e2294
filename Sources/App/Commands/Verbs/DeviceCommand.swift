import ArgumentParser
import ControlPlane
import NodeRuntime

struct DeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "Changes a sound device while the node runs.",
        discussion: """
            The node goes on with its present device if the new one cannot be opened. The change is kept for the next \
            start, unless --input, --output or the configuration file names the device.
            """,
        subcommands: [Input.self, Output.self, Output2.self])

    struct Input: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Changes the device for capture.")

        @OptionGroup var node: NodeChoice
        @Argument(help: ArgumentHelp("alsa:NAME, file:PATH, tone:HZ or null.", valueName: "dev"))
        var device: String

        func run() throws { try DeviceCommand.set(.input, to: device, at: node) }
    }

    struct Output: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Changes the device for playback.")

        @OptionGroup var node: NodeChoice
        @Argument(help: ArgumentHelp("alsa:NAME, file:PATH or null.", valueName: "dev"))
        var device: String

        func run() throws { try DeviceCommand.set(.output, to: device, at: node) }
    }

    struct Output2: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Changes the device of the second output; not kept for the next start.")

        @OptionGroup var node: NodeChoice
        @Argument(help: ArgumentHelp("alsa:NAME, file:PATH or null.", valueName: "dev"))
        var device: String

        func run() throws { try DeviceCommand.set(.output2, to: device, at: node) }
    }

    private static func set(_ side: DeviceSetRequest.Side, to device: String, at node: NodeChoice) throws {
        // The node may run in another folder.
        let prefix = "file:"
        let path = device.hasPrefix(prefix) ? String(device.dropFirst(prefix.count)) : ""
        let absolute = path.isEmpty ? device : prefix + (Surroundings.absolute(path) ?? path)
        try node.ask(DeviceSetRequest(side: side, device: absolute))
    }
}
