import ArgumentParser
import NodeRuntime

struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Makes a closed mesh: only people with its code come in.",
        discussion: """
            In a terminal it asks for what no option says. It chooses a code of four words, and shows the code once; \
            the others come in by `partyline enter`. A mesh that the node has already is kept unless --replace is \
            given. --open leaves the closed mesh: anybody on the network can listen then.
            """)

    @OptionGroup var node: StoppedNodeChoice
    @Option(help: ArgumentHelp("The name of the mesh (that of config.toml, else crew).", valueName: "text"))
    var mesh: String?
    @Option(help: ArgumentHelp("A file with a code of your own; it needs about 40 bits.", valueName: "path"))
    var codeFile: String?
    @Option(help: ArgumentHelp("The name that the others see.", valueName: "text"))
    var nick: String?
    @Option(help: ArgumentHelp("What you do, for the others to read.", valueName: "text"))
    var role: String?
    @Option(help: ArgumentHelp("Your colour in lists: a word or #rrggbb.", valueName: "colour"))
    var colour: String?
    @Flag(help: "Makes a new mesh in place of the one that the node has.")
    var replace = false
    @Flag(help: "Goes back to an open mesh.")
    var open = false

    func validate() throws {
        guard open else { return }
        guard mesh == nil, codeFile == nil, nick == nil, role == nil, colour == nil, !replace else {
            throw ValidationError("--open goes without --mesh, --code-file, --nick, --role, --colour and --replace")
        }
    }

    func run() throws {
        var settings = RunSettings()
        settings.set(.mesh, option: mesh)
        settings.set(.nick, option: nick)
        settings.set(.role, option: role)
        settings.set(.colour, option: colour)
        let options = try node.options(settings)
        // A code that is refused leaves everything as it was.
        let chosen = try codeFile.map { try CodeInput.code(of: $0, TypedCode.chosen) }
        let stopped = try StoppedNode(options)
        defer { stopped.close() }
        Output.lines(
            open ? try leaveMesh(of: stopped, options) : try makeMesh(in: stopped, options, code: chosen, .ofProcess))
    }
}
