import ArgumentParser
import ControlPlane
import NodeRuntime

struct AnswerCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer", abstract: "Answers a call, so that the caller sees that you take it.")

    @OptionGroup var node: NodeChoice
    @Argument(help: "The caller (its newest call), or the beginning of the call's id if no peer has that name.")
    var call: String?
    @Flag(help: "Declines the call.")
    var decline = false

    var request: CallAnswerRequest { CallAnswerRequest(call: call, accepted: !decline) }

    func confirmation(_ answer: CallsDocument) -> String {
        guard let call = answer.incoming.first(where: { $0.id == answer.answered }) else {
            return decline ? "the call is declined" : "the call is answered"
        }
        return "you \(decline ? "decline" : "take") \(call.name)'s call" + (call.text.map { " \"\($0)\"" } ?? "")
    }
}
