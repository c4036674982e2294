import ArgumentParser
import ControlPlane
import NodeRuntime

struct WithdrawCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "withdraw", abstract: "Takes a call of this node back.")

    @OptionGroup var node: NodeChoice
    @Argument(help: "The beginning of the call's id (the newest call that waits).")
    var call: String?

    var request: CallWithdrawRequest { CallWithdrawRequest(call: call) }

    func confirmation(_ answer: CallsDocument) -> String { "the call is withdrawn" }
}
