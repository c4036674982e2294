package import NodeRuntime

/// What `partyline init` and `partyline code show` print, in 80 columns.
package enum InitText {
    /// - Parameters:
    ///   - mesh: the name of the mesh.
    ///   - code: the code that was chosen for it; nil if a person brought their own.
    ///   - node: the name of the node on this machine; nil for the default one.
    package static func made(_ mesh: String, code: MeshCode?, node: String?, paint: Paint) -> [String] {
        let own = node.map { " --name \(Output.safe($0))" } ?? ""
        let shown = code.map { ["Its code, for all who may come in:"] + InitText.code($0, paint: paint) }
        return Columns.sentence("This node is in the closed mesh \(MeshAccess.shown(mesh)) now.", label: "")
            + (shown ?? ["Its code is yours. It is what all who may come in need."])
            + ["`partyline code show\(own)` shows it.", ""]
            + ["  here         partyline run\(own)", "  the others   partyline enter, then partyline run"]
    }

    /// The code, with room around it.
    package static func code(_ code: MeshCode, paint: Paint) -> [String] {
        let words = Output.safe(code.typed).split(separator: " ").joined(separator: "   ")
        return ["", "      " + paint("   \(words)   ", .marked), ""]
    }

    /// - Parameter mesh: the name of the mesh that the node has left; nil if its file was damaged.
    package static func opened(left mesh: String?) -> [String] {
        let name = mesh.map { "mesh \(MeshAccess.shown($0))" } ?? "mesh"
        return Columns.sentence(
            """
            This node has left the closed \(name) and forgotten its secret. From its next start on it is in an open \
            mesh: anybody on its network can listen. The way back is the code: partyline enter
            """, label: "")
    }
}
