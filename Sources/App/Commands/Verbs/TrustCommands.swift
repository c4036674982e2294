import ArgumentParser
import ControlPlane
package import NodeRuntime

struct TrustCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust", abstract: "Vouches for the key of a peer: the name belongs to this key.",
        discussion: """
            Compare words first if it matters: partyline verify NAME. No other node is told. A node with \
            --admission ask or known lets the peer in from now on.
            """)

    @OptionGroup var node: NodeChoice
    @Argument(help: "A name, an id, the beginning of one, or the whole id of a node that was never met.")
    var peer: String

    var request: TrustRequest { TrustRequest(peer: peer) }

    func confirmation(_ answer: KeyDocument) -> String { "\(answer.subject) is trusted" + answer.notices }
}

struct ForgetCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Forgets a key with its name, and your decision about it.",
        discussion: """
            `partyline peers known` lists the keys. A node with --admission ask or known ends its link to the key; \
            with ask it asks you again. A node that you have blocked stays blocked.
            """)

    @OptionGroup var node: NodeChoice
    @Argument(help: "A name, an id, or the beginning of one.")
    var peer: String

    var request: ForgetRequest { ForgetRequest(peer: peer) }

    func confirmation(_ answer: KeyDocument) -> String { "\(answer.subject) is forgotten" + answer.notices }
}

extension KeyDocument {
    /// What a confirmation adds: that the node is blocked all the same, and that the decision will be lost.
    var notices: String {
        (blocked ? ", but it is still blocked here; `partyline peers unblock \(shortId)`" : "") + lossNotice
    }

    /// The part of a confirmation that says when a decision will be lost; empty if it is kept.
    var lossNotice: String { kept ? "" : "; until this node ends, since it can store nothing" }
}

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

/// `partyline verify` for people.
package struct VerifyText {
    private let document: VerifyDocument

    package init(_ document: VerifyDocument) { self.document = document }

    /// The lines, without line feeds; none if the peer did not take part.
    package var lines: [String] {
        guard let words = document.words else { return [] }
        let state = document.trust == "verified" ? ["Its key was verified before."] : []
        return ["", "    " + Output.safe(words), ""]
            + Columns.sentence(
                "Read the words to \(VerifyText.subject(document)). The person there sees the same words, "
                    + "unless somebody stands between you. If they are equal: "
                    + "`partyline verify \(Output.safe(document.shortId)) --yes`",
                label: "")
            + state
    }

    package static func unanswered(_ document: VerifyDocument) -> String {
        "\(subject(document)) did not take part; its version may be too old, or it has just left"
    }

    private static func subject(_ document: VerifyDocument) -> String {
        Output.safe(document.name.isEmpty ? document.shortId : "\(document.name) (\(document.shortId))")
    }
}
