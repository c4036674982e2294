import ArgumentParser
import ControlPlane

/// A verb that changes something at the node, and confirms it in one line.
protocol ChangingCommand: ParsableCommand {
    associatedtype Request: ControlRequest

    var node: NodeChoice { get }
    /// What the node is asked to do.
    var request: Request { get throws }

    /// What the node has done, as a sentence. It may hold what the person has typed.
    func confirmation(_ answer: Request.Answer) -> String
}

extension ChangingCommand {
    func run() throws { try Output.line(Output.safe(confirmation(try node.ask(request)))) }
}
