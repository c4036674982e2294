import Glibc
import NodeRuntime

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
        let present = stopped.devices(options)
        let devices = DeviceDialogue(.ofThisMachine(), options, present: present)
        let dialogue = InitDialogue(options, present: stopped.profile(options), devices)
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
