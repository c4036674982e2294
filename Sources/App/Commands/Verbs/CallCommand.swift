import ArgumentParser
import ControlPlane
import Foundation
import NodeRuntime
import Primitives
import SystemClock

struct CallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "call", abstract: "Calls a peer, a channel or everybody.",
        discussion: """
            The others hear a tone and see the call; `partyline calls` shows who has answered. Without a target the \
            first channel of the talk key is called. An urgent call is shown even under do-not-disturb.

            With --wait the exit code is 0 as soon as somebody takes the call, and 1 if all decline it, or nobody \
            takes it in time. Ctrl-C meanwhile takes the call back.
            """)

    @OptionGroup var node: NodeChoice
    @Argument(help: "The peer: a name, an id, or the beginning of one.")
    var peer: String?
    @Option(help: ArgumentHelp("Calls all who listen to this channel.", valueName: "name"))
    var channel: String?
    @Flag(help: "Calls everybody.")
    var all = false
    @Option(help: ArgumentHelp("A few words, at most 24 characters.", valueName: "text"))
    var text: String?
    @Flag(help: "Shows the call even under do-not-disturb.")
    var urgent = false
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How long the call is open, 1 to 120 (30).", valueName: "seconds"))
    var expires: Double?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Waits until somebody takes the call or all decline it, 1 to 120.", valueName: "seconds"))
    var wait: Double?
    @Flag(help: "Prints partyline.calls/1; with --wait after that.")
    var json = false

    private static let lookIntervalSeconds = 0.2
    /// For how long the node keeps a call open if it is not told.
    private static let openSecondsStandard = 30.0

    func validate() throws {
        if 1 < [peer != nil, channel != nil, all].count(where: { $0 }) {
            throw ValidationError("a peer, --channel and --all exclude each other")
        }
        if let expires, !ControlLimits.callSecondsRange.contains(expires) {
            throw ValidationError("--expires takes 1 to 120 seconds")
        }
        if let wait, !ControlLimits.callSecondsRange.contains(wait) {
            throw ValidationError("--wait takes 1 to 120 seconds")
        }
    }

    func run() throws {
        let client = try node.connect()
        if wait != nil { Interruption.listen() }
        let document = try client.ask(request, timeoutSeconds: NodeChoice.timeoutSeconds)
        guard let made = document.outgoing.first(where: { $0.id == document.made }) else {
            if json { try Output.document(document) }
            return
        }
        if !json {
            let names = Output.list(made.receivers.map(\.name))
            try Output.lines(Columns.sentence(names, label: "calling "))
        }
        guard let wait else {
            if json { try Output.document(document) }
            return
        }
        let time = Interval(nanoseconds: Int64(wait * 1e9))
        try show(try CallCommand.result(of: made.id, from: client, within: time), after: wait)
    }

    private var request: CallMakeRequest {
        // A call that the person waits for is open at least as long.
        let isLongWait = CallCommand.openSecondsStandard < wait ?? 0
        return CallMakeRequest(
            peer: peer, channel: channel, all: all ? true : nil, text: text, urgent: urgent ? true : nil,
            expiresS: expires ?? (isLongWait ? wait : nil))
    }

    /// Looks at the calls of the node until somebody has taken the call or all have declined it, or the time is over.
    ///
    /// - Throws: `CommandEnd` with `failed` if the person ends the wait; the call is withdrawn then.
    private static func result(
        of call: String, from client: ControlClient, within time: Interval
    ) throws -> CallsDocument {
        let end = Instant.monotonicNow() + time
        while true {
            var calls = try client.ask(CallsRequest(), timeoutSeconds: NodeChoice.timeoutSeconds)
            guard CallOutcome(of: call, in: calls) == .open, Instant.monotonicNow() < end else {
                calls.made = call
                return calls
            }
            guard !Interruption.isPending else {
                try client.ask(CallWithdrawRequest(call: call), timeoutSeconds: NodeChoice.timeoutSeconds)
                throw CommandEnd(status: .failed, message: "interrupted; the call is withdrawn")
            }
            Thread.sleep(forTimeInterval: lookIntervalSeconds)
        }
    }

    /// - Throws: `CommandEnd` with `failed` if nobody has taken the call.
    private func show(_ calls: CallsDocument, after wait: Double) throws {
        let outcome = CallOutcome(of: calls.made ?? "", in: calls)
        if json { try Output.document(calls) }
        guard case .taken = outcome else {
            throw CommandEnd(status: .failed, message: outcome.words(after: wait))
        }
        if !json { try Output.line(outcome.words(after: wait)) }
    }
}
