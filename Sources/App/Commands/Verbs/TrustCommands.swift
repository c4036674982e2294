import ArgumentParser
import ControlPlane
import NodeRuntime

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
            with ask it asks you again.
            """)

    @OptionGroup var node: NodeChoice
    @Argument(help: "A name, an id, or the beginning of one.")
    var peer: String

    var request: ForgetRequest { ForgetRequest(peer: peer) }

    func confirmation(_ answer: KeyDocument) -> String { "\(answer.subject) is forgotten" + answer.lossNotice }
}

extension KeyDocument {
    /// What a confirmation of trust adds: that the node is blocked all the same, and that the decision will be lost.
    var notices: String {
        (blocked ? ", but it is still blocked here; `partyline peers unblock \(shortId)`" : "") + lossNotice
    }

    /// The part of a confirmation that says when a decision will be lost; empty if it is kept.
    var lossNotice: String { kept ? "" : "; until this node ends, since it can store nothing" }
}
