import ArgumentParser
import NodeRuntime

struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Makes a closed mesh: only people with its code come in.",
        discussion: """
            In a terminal it asks for what no option says, and lets you hear yourself on your sound devices. It \
            chooses a code of four words and shows it, unless --code-file has one. The others come in by \
            `partyline enter`. A mesh that the node has already is kept unless --replace is given. --open leaves the \
            closed mesh: anybody on the network can listen then.
            """)

    @OptionGroup var node: StoppedNodeChoice
    @Option(help: ArgumentHelp("The name of the mesh (that of config.toml, else 'crew').", valueName: "text"))
    var mesh: String?
    @Option(help: ArgumentHelp("A file with a code of your own; it needs about 40 bits.", valueName: "path"))
    var codeFile: String?
    @Option(help: ArgumentHelp("The name that the others see.", valueName: "text"))
    var nick: String?
    @Option(help: ArgumentHelp("What you do, for the others to read.", valueName: "text"))
    var role: String?
    @Option(help: ArgumentHelp("Your colour in lists: a word or #rrggbb.", valueName: "colour"))
    var colour: String?
    @Option(help: ArgumentHelp("The input, kept for `run`: alsa:NAME, file:PATH, tone:HZ or null.", valueName: "dev"))
    var input: String?
    @Option(help: ArgumentHelp("The output, kept for `run`: alsa:NAME, file:PATH or null.", valueName: "dev"))
    var output: String?
    @Flag(help: "Makes a new mesh in place of the one that the node has.")
    var replace = false
    @Flag(help: "Goes back to an open mesh.")
    var open = false

    func validate() throws {
        guard open else { return }
        let others = [mesh, codeFile, nick, role, colour, input, output]
        guard others.allSatisfy({ $0 == nil }), !replace else {
            throw ValidationError(
                "--open goes without --mesh, --code-file, --nick, --role, --colour, --input, --output and --replace")
        }
    }

    func run() throws {
        var settings = RunSettings()
        settings.set(.mesh, option: mesh)
        settings.set(.nick, option: nick)
        settings.set(.role, option: role)
        settings.set(.colour, option: colour)
        settings.set(.input, option: input.map(Surroundings.absolute(device:)))
        settings.set(.output, option: output.map(Surroundings.absolute(device:)))
        let options = try node.options(settings)
        // A code that is refused leaves everything as it was.
        let chosen = try codeFile.map { try CodeInput.code(of: $0, TypedCode.chosen) }
        let stopped = try StoppedNode(options)
        defer { stopped.close() }
        try Output.lines(
            open ? try leaveMesh(of: stopped, options) : try makeMesh(in: stopped, options, code: chosen, .ofProcess))
    }
}
