import ArgumentParser
import ControlPlane
import NodeRuntime

struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Shows four words to compare with the person at a peer.",
        discussion: """
            The other person sees the same words, by the same verb or in the events. Read them to each other: if they \
            are equal, nobody stands between you. Then say so with the id that stands below the words: \
            partyline verify 4f2a-91c0 --yes. That marks the key as verified, and lets the node in if it waits. If \
            they differ, repeat it once after a minute; if they differ again, somebody stands between you: \
            partyline peers block 4f2a-91c0. Exit code 1 if the peer does not answer.
            """)

    @OptionGroup var node: NodeChoice
    @Argument(help: "A name, an id, or the beginning of one.")
    var peer: String
    @Flag(help: "Says that the words were equal; lets a node in that waits.")
    var yes = false
    @Flag(help: "Prints partyline.verify/1.")
    var json = false

    func run() throws {
        if yes {
            let answer = try node.ask(ConfirmRequest(peer: peer))
            if json { return try Output.document(VerifyDocument(answer)) }
            return try Output.line(Output.safe("\(answer.subject) is verified" + answer.notices))
        }
        let document = try node.ask(VerifyRequest(peer: peer))
        if json {
            try Output.document(document)
        } else {
            try Output.lines(VerifyText(document).lines)
        }
        if document.words == nil { throw CommandEnd(status: .failed, message: VerifyText.unanswered(document)) }
    }
}
