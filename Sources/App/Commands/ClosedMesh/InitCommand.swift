import ArgumentParser
import Glibc
package import NodeRuntime

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
    @Option(
        help: ArgumentHelp("A file with a code of your own; it needs about 40 bits.", valueName: "path"),
        completion: .file())
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

extension InitCommand {
    /// Makes a closed mesh, and returns the text for a person.
    /// - Throws: `CommandEnd` if the node has a mesh already, and the errors of `StoppedNode`.
    func makeMesh(
        in stopped: StoppedNode, _ options: RunOptions, code: TypedCode?, _ conversation: Conversation
    ) throws -> [String] {
        if !replace, let mesh = try stopped.mesh {
            throw CommandEnd(
                status: .failed,
                message: "this node is in the closed mesh \(MeshAccess.shown(mesh.name)) already; --replace makes "
                    + "another one, which all others have to enter with its code")
        }
        let present = try stopped.devices(options)
        let devices = DeviceDialogue(.ofThisMachine(), options, present: present)
        let dialogue = InitDialogue(options, present: try stopped.profile(options), devices)
        let wish = try sayingUnchanged { try dialogue.wish(conversation) }
        let made = TypedCode.made()
        let mesh = try stopped.found(wish.mesh, code: code ?? made)
        let text = InitText.made(
            mesh.name, code: code == nil ? made : nil, next: node.echo(options), paint: .ofTerminal)
        do {
            // A field or a device that a file names is not kept, since the file may change.
            var profile = wish.profile
            let named = ProfileWords(nick: nick, role: role, colour: colour)
            for field in ProfileWords.fields where options.introduction[field] != nil { profile[field] = named[field] }
            try stopped.keep(profile)
            try stopped.keep(
                DeviceWords(
                    input: input == nil ? wish.devices.input : present.input,
                    output: output == nil ? wish.devices.output : present.output))
        } catch {
            // The mesh is made all the same, and the person needs its code.
            try Output.lines(text)
            throw error
        }
        return text
    }

    /// Asks the person. Ctrl-C ends the process as usual, and before that it says what `Conversation.ended` says.
    private func sayingUnchanged(_ ask: () throws -> InitDialogue.Wish) throws -> InitDialogue.Wish {
        signal(SIGINT) { number in
            let words: StaticString = "\npartyline: nothing was changed\n"
            _ = write(STDERR_FILENO, words.utf8Start, words.utf8CodeUnitCount)
            // It takes effect when this handler has returned.
            signal(number, SIG_DFL)
            raise(number)
        }
        defer { signal(SIGINT, SIG_DFL) }
        return try ask()
    }

    /// Leaves the closed mesh, and returns the text for a person.
    /// - Throws: the errors of `StoppedNode`.
    func leaveMesh(of stopped: StoppedNode, _ options: RunOptions) throws -> [String] {
        let left: KeptMesh?
        do throws(MeshFileFault) {
            guard let mesh = try stopped.mesh else { return ["This node is in an open mesh already."] }
            left = mesh
        } catch {
            guard case .damaged = error else { throw error }
            left = nil
        }
        try stopped.removeMesh()
        return InitText.opened(left: left?.name, codeFile: options.codeFile, next: node.echo(options))
    }
}

/// The output of `partyline init` and `partyline code show`, in 80 columns.
package enum InitText {
    /// - Parameters:
    ///   - mesh: the name of the mesh.
    ///   - code: the code that was chosen for it; nil if a person brought their own.
    ///   - next: the options for the next command.
    package static func made(_ mesh: String, code: TypedCode?, next: OptionEcho, paint: Paint) -> [String] {
        let shown = code.map { ["Its code; everybody needs it to come in:"] + InitText.code($0, paint: paint) }
        return Columns.sentence("This node is in the closed mesh \(MeshAccess.shown(mesh)) now.", label: "")
            + (shown ?? ["Its code is yours. Everybody needs it to come in."])
            + ["`\(next.command("code show"))` shows it.", ""]
            + ["  here         \(next.command("run"))", "  the others   partyline enter, then partyline run"]
    }

    /// The code as it counts, with room around it. A code with letters other than a to z is shown as it was typed: such
    /// letters do not count, but the person knows the code with them.
    package static func code(_ code: TypedCode, paint: Paint) -> [String] {
        let typed = Output.safe(code.typed).split(separator: " ").map(String.init)
        let words = (code.typed.allSatisfy(\.isASCII) ? code.words : typed).joined(separator: "   ")
        return ["", "      " + paint("   \(words)   ", .marked), ""]
    }

    /// - Parameters:
    ///   - mesh: the name of the mesh that the node has left; nil if its file was damaged.
    ///   - codeFile: the file with a code that the configuration names; nil if it names none.
    ///   - next: the options for the next command.
    package static func opened(left mesh: String?, codeFile: String?, next: OptionEcho) -> [String] {
        let name = mesh.map { "mesh \(MeshAccess.shown($0))" } ?? "mesh"
        let left = "This node has left the closed \(name) and forgotten its secret."
        if let codeFile {
            return Columns.sentence(
                """
                \(left) But its configuration names the code file \(Output.safe(codeFile)), so its next start enters \
                the mesh of that code. Remove the line `code-file`, and the node is in an open mesh.
                """, label: "")
        }
        return Columns.sentence(
            """
            \(left) From its next start on it is in an open \
            mesh: anybody on its network can listen. The way back is the code:
            """, label: "") + ["  " + next.command("enter")]
    }
}
