import ArgumentParser
import ControlPlane
import NodeRuntime

struct DeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "Changes a sound device while the node runs.",
        discussion: """
            The node goes on with its present device if the new one cannot be opened. The change is kept for the next \
            start, unless --input, --output, config.toml or a crew file names the device.
            """,
        subcommands: [Input.self, Output.self, Output2.self])

    struct Input: ChangingCommand {
        static let configuration = CommandConfiguration(abstract: "Changes the device for capture.")

        @OptionGroup var node: NodeChoice
        @Argument(help: ArgumentHelp("alsa:NAME, file:PATH, tone:HZ or null.", valueName: "dev"))
        var device: String

        var request: DeviceSetRequest { DeviceCommand.request(.input, device) }

        func confirmation(_ answer: DoneDocument) -> String { "input is \(device) now" }
    }

    struct Output: ChangingCommand {
        static let configuration = CommandConfiguration(abstract: "Changes the device for playback.")

        @OptionGroup var node: NodeChoice
        @Argument(help: ArgumentHelp("alsa:NAME, file:PATH or null.", valueName: "dev"))
        var device: String

        var request: DeviceSetRequest { DeviceCommand.request(.output, device) }

        func confirmation(_ answer: DoneDocument) -> String { "output is \(device) now" }
    }

    struct Output2: ChangingCommand {
        static let configuration = CommandConfiguration(
            abstract: "Changes the device of the second output; not kept for the next start.")

        @OptionGroup var node: NodeChoice
        @Argument(help: ArgumentHelp("alsa:NAME, file:PATH or null.", valueName: "dev"))
        var device: String

        var request: DeviceSetRequest { DeviceCommand.request(.output2, device) }

        func confirmation(_ answer: DoneDocument) -> String { "output2 is \(device) now" }
    }

    private static func request(_ side: DeviceSetRequest.Side, _ device: String) -> DeviceSetRequest {
        DeviceSetRequest(side: side, device: Surroundings.absolute(device: device))
    }
}
