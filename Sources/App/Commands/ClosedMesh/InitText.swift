package import NodeRuntime

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
