import ArgumentParser
import ControlPlane
import NodeRuntime

struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "Lists sound devices, as --input and --output take them.",
        discussion: """
            With --choose it asks for them, lets you hear yourself, and keeps them for the next start, as `partyline \
            init` does. `partyline device` changes those of a running node.
            """)

    @OptionGroup var node: NodeChoice
    @Flag(help: "Prints the document partyline.devices/1.")
    var json = false
    @Flag(help: "Asks for devices, with a spoken test; the node must not run.")
    var choose = false

    func validate() throws {
        guard !json || !choose else { throw ValidationError("--choose goes without --json") }
    }

    func run() throws {
        guard !choose else { return try chooseDevices(.ofProcess) }
        let document = listOfNode() ?? DevicesDocument.ofThisMachine()
        if json { try Output.document(document) } else { try Output.lines(DevicesCommand.lines(document)) }
    }

    /// The list of the chosen node, or of the only one that runs; nil if several run, or if none answers. A node marks
    /// the devices that it uses. Apart from that its list is the one of the machine, so this is no error.
    private func listOfNode() -> DevicesDocument? {
        do {
            return try ControlClient.reaching(node.settled().options())
                .ask(DevicesRequest(), timeoutSeconds: NodeChoice.timeoutSeconds)
        } catch {
            if let end = error as? CommandEnd, let message = end.message { Output.note(message) }
            return nil
        }
    }

    private func chooseDevices(_ conversation: Conversation) throws {
        guard conversation.isWithPerson else {
            throw CommandEnd(
                status: .usage, message: "nobody is there to ask; `partyline run` takes --input and --output")
        }
        let options = try Surroundings.origin(node.settings()).read()
        let stopped = try StoppedNode(options)
        defer { stopped.close() }
        let dialogue = DeviceDialogue(.ofThisMachine(), options, present: try stopped.devices(options))
        guard dialogue.isOpen else {
            throw CommandEnd(status: .usage, message: "a file names input and output; change them there")
        }
        try Output.lines(try dialogue.keep(in: stopped, conversation))
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
