import ArgumentParser
import ControlPlane
import NodeRuntime

struct RequestsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "requests", abstract: "Lists the nodes that ask to be linked.",
        discussion: "With `partyline run --admission ask` you decide about each node that you have not trusted.")

    @OptionGroup var node: NodeChoice
    @Flag(help: "Prints partyline.requests/1.")
    var json = false

    func run() throws {
        let document = try node.ask(RequestsRequest())
        if json { try Output.document(document) } else { try Output.lines(RequestsTable(document).lines) }
    }
}

struct AcceptCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept", abstract: "Links to a node that asks, now and later.",
        discussion: "Its key is trusted from now on. `partyline forget` takes that back.")

    @OptionGroup var node: NodeChoice
    @Argument(help: "A name, an id, or the beginning of one.")
    var peer: String

    var request: AcceptRequest { AcceptRequest(peer: peer) }

    func confirmation(_ answer: KeyDocument) -> String { "\(answer.subject) is let in" + answer.notices }
}

struct DenyCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "deny", abstract: "Refuses a node that asks, now and later, and tells it so.",
        discussion: "`partyline trust` lets it in after all. After `partyline forget` you are asked again.")

    @OptionGroup var node: NodeChoice
    @Argument(help: "A name, an id, or the beginning of one.")
    var peer: String

    var request: DenyRequest { DenyRequest(peer: peer) }

    func confirmation(_ answer: KeyDocument) -> String { "\(answer.subject) is turned away" + answer.lossNotice }
}
