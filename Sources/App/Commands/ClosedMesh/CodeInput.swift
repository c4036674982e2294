package import NodeRuntime

/// How a command is given a code: from a file, from a person, unseen, or as a line of a program. Never from
/// its arguments or its environment, which other users of the machine can read.
package enum CodeInput {
    private static let trialsMax = 3

    /// Reads a code from a file, and warns of a file that every user of the machine may open.
    /// - Throws: `ConfigurationError`.
    static func code<Code>(of file: String, _ read: (String) throws(CodeFault) -> Code) throws -> Code {
        let code = try TypedCode.read(file: file, read)
        if let warning = TypedCode.warning(ofFile: file) { Output.note(warning) }
        return code
    }

    /// A code to enter a mesh.
    /// - Parameter file: the path of a file with the code; nil for a person or a program.
    /// - Throws: `ConfigurationError` for the file, and `CommandEnd`.
    package static func read(file: String?, _ conversation: Conversation) throws -> EntryCode {
        try read(file: file, "Code of the mesh (it is not shown): ", conversation, EntryCode.typed)
    }

    /// The code of a channel, to join it.
    /// - Parameters:
    ///   - channel: the name of the channel.
    ///   - file: as above.
    /// - Throws: as above.
    package static func read(
        ofChannel channel: String, file: String?, _ conversation: Conversation
    ) throws -> TypedCode {
        let question = "Code of channel \(Output.safe(channel)) (it is not shown): "
        return try read(file: file, question, conversation, TypedCode.joining)
    }

    /// The code of a channel on which this node is without others, perhaps by a wrong code. Nil if the answer is empty,
    /// or there is none: the present code is kept.
    /// - Throws: `CommandEnd` for a text that is no code.
    package static func readAgain(ofChannel channel: String, _ conversation: Conversation) throws -> TypedCode? {
        if conversation.isWithPerson {
            conversation.ask("Code of channel \(Output.safe(channel)) (it is not shown; an empty line keeps yours): ")
        }
        guard let line = conversation.hiddenLine(), !line.allSatisfy(\.isWhitespace) else { return nil }
        do throws(CodeFault) {
            return try TypedCode.joining(line)
        } catch {
            throw CommandEnd(status: .failed, message: "\(error)")
        }
    }

    /// A code that a person has chosen for their mesh. The person types it twice, since it is not shown.
    /// - Parameter file: as above.
    /// - Throws: as above.
    package static func choose(file: String?, _ conversation: Conversation) throws -> TypedCode {
        let code = try read(file: file, "New code of the mesh (it is not shown): ", conversation, TypedCode.chosen)
        guard file == nil, conversation.isWithPerson else { return code }
        conversation.ask("The same again: ")
        guard let again = conversation.hiddenLine().flatMap({ TypedCode($0) }), again.isSame(as: code) else {
            throw CommandEnd(status: .failed, message: "the two codes differ; nothing was changed")
        }
        return code
    }

    private static func read<Code>(
        file: String?, _ question: String, _ conversation: Conversation,
        _ parse: (String) throws(CodeFault) -> Code
    ) throws -> Code {
        if let file { return try code(of: file, parse) }
        for trial in 1...trialsMax {
            if conversation.isWithPerson { conversation.ask(question) }
            guard let line = conversation.hiddenLine() else { break }
            do throws(CodeFault) {
                return try parse(line)
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
