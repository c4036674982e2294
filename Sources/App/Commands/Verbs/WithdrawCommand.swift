import ArgumentParser
import ControlPlane
import NodeRuntime

struct WithdrawCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "withdraw", abstract: "Takes a call of this node back.")

    @OptionGroup var node: NodeChoice
    @Argument(help: "The beginning of the call's id (the newest call that waits).")
    var call: String?

    func run() throws {
        try node.ask(CallWithdrawRequest(call: call))
    }
}
