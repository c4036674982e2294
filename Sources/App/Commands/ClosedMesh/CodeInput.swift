package import NodeRuntime

/// How a command is given a code: from a file, from a person, unseen, or as a line of a program. Never from
/// its arguments or its environment, which other users of the machine can read.
package enum CodeInput {
    private static let trialsMax = 3

    /// Reads a code from a file, and warns of a file that every user of the machine may open.
    /// - Throws: `ConfigurationError`.
    static func code(of file: String, _ read: (String) throws(CodeFault) -> MeshCode) throws -> MeshCode {
        let code = try MeshCode(file: file, read)
        if let warning = MeshCode.warning(ofFile: file) { Output.note(warning) }
        return code
    }

    /// - Parameter file: the path of a file with the code; nil for a person or a program.
    /// - Throws: `ConfigurationError` for the file, and `CommandEnd`.
    package static func read(file: String?, _ conversation: Conversation) throws -> MeshCode {
        if let file { return try code(of: file, MeshCode.typed) }
        for trial in 1...trialsMax {
            if conversation.isWithPerson { conversation.ask("Code of the mesh (it is not shown): ") }
            guard let line = conversation.hiddenLine() else { break }
            do throws(CodeFault) {
                return try MeshCode.typed(line)
            } catch {
                guard conversation.isWithPerson, trial < trialsMax else {
                    throw CommandEnd(status: .failed, message: "\(error)")
                }
                conversation.ask("  \(error)\n")
            }
        }
        throw CommandEnd(status: .failed, message: "no code was given")
    }
}
