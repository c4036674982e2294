import ArgumentParser
import ControlPlane
import NodeRuntime

struct AnswerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer", abstract: "Answers a call, so that the caller sees that you take it.")

    @OptionGroup var node: NodeChoice
    @Argument(help: "The beginning of the call's id, or the caller (the newest call).")
    var call: String?
    @Flag(help: "Declines the call.")
    var decline = false

    func run() throws {
        let request = CallAnswerRequest(call: call, accepted: !decline)
        try node.ask(request)
    }
}
