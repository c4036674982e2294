import ArgumentParser
import ControlPlane
import Foundation
package import NodeRuntime
import Primitives
import SystemClock

struct CallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "call", abstract: "Calls a peer, a channel or everybody.",
        discussion: """
            The others hear a tone and see the call; `partyline calls` shows who has answered. Without a target the \
            first channel of the talk key is called. An urgent call is shown even under do-not-disturb.

            With --wait the exit code is 0 as soon as somebody takes the call, 1 if all decline it, or nobody takes \
            it in time, and 3 if the node ends. Ctrl-C meanwhile takes the call back.
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
            // With --wait the exit code would say that somebody takes the call.
            guard wait == nil else { throw ControlClientError.unreadable }
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
        let (calls, decliners) = try CallCommand.result(of: made.id, from: client, within: time)
        try show(calls, decliners, after: wait)
    }

    private var request: CallMakeRequest {
        // A call that the person waits for is open at least as long.
        let isLongWait = CallCommand.openSecondsStandard < wait ?? 0
        return CallMakeRequest(
            peer: peer, channel: channel, all: all ? true : nil, text: text, urgent: urgent ? true : nil,
            expiresS: expires ?? (isLongWait ? wait : nil))
    }

    /// Looks at the calls of the node until somebody has taken the call or all have declined it, or the time is over.
    /// Returns the calls at the end, and the names of those that have declined: after its time the call is not among
    /// the calls.
    ///
    /// - Throws: `CommandEnd` with `failed` if the person ends the wait; the call is withdrawn then. `nodeEnded` if the
    ///   node ends.
    private static func result(
        of call: String, from client: ControlClient, within time: Interval
    ) throws -> (calls: CallsDocument, decliners: [String]) {
        let end = Instant.monotonicNow() + time
        var decliners: [String] = []
        while true {
            var calls = try client.askAgain(CallsRequest())
            decliners = CallOutcome.decliners(of: call, in: calls) ?? decliners
            guard CallOutcome(of: call, in: calls) == .open, Instant.monotonicNow() < end else {
                calls.made = call
                return (calls, decliners)
            }
            guard !Interruption.isPending else {
                try client.askAgain(CallWithdrawRequest(call: call))
                throw CommandEnd(status: .failed, message: "interrupted; the call is withdrawn")
            }
            Thread.sleep(forTimeInterval: lookIntervalSeconds)
        }
    }

    /// - Throws: `CommandEnd` with `failed` if nobody has taken the call.
    private func show(_ calls: CallsDocument, _ decliners: [String], after wait: Double) throws {
        let outcome = CallOutcome(of: calls.made ?? "", in: calls)
        let words = outcome.words(after: wait, declinedBy: decliners)
        if json { try Output.document(calls) }
        guard case .taken = outcome else { throw CommandEnd(status: .failed, message: words) }
        if !json { try Output.line(words) }
    }
}

/// What has become of a call of this node, for `call --wait`.
package enum CallOutcome: Hashable, Sendable {
    /// Nobody has taken it, and somebody may still do so.
    case open
    /// These nodes have taken it.
    case taken(by: [String])
    case declinedByAll
    case withdrawn
    /// Its time was over before.
    case expired

    /// - Parameter id: the call.
    package init(of id: String, in calls: CallsDocument) {
        guard let call = calls.outgoing.first(where: { $0.id == id }) else {
            self = .expired
            return
        }
        let takers = call.receivers.filter { $0.answer == "accepted" }.map { Output.safe($0.name) }
        if !takers.isEmpty {
            self = .taken(by: takers)
        } else if call.state == "withdrawn" {
            self = .withdrawn
        } else if call.receivers.allSatisfy({ $0.answer == "declined" }) {
            self = .declinedByAll
        } else {
            self = .open
        }
    }

    /// The names of those that have declined a call, fit for a terminal; nil if it is not among the calls.
    ///
    /// - Parameter id: the call.
    package static func decliners(of id: String, in calls: CallsDocument) -> [String]? {
        calls.outgoing.first(where: { $0.id == id })?.receivers.filter { $0.answer == "declined" }
            .map { Output.safe($0.name) }
    }

    /// A sentence for a person.
    ///
    /// - Parameters:
    ///   - seconds: how long the person has waited at most.
    ///   - decliners: the names of those that have declined the call.
    package func words(after seconds: Double, declinedBy decliners: [String]) -> String {
        let names = decliners.joined(separator: ", ")
        let some = decliners.isEmpty ? "" : "; it is declined by \(names)"
        let nobody = decliners.isEmpty ? "nobody has answered" : "nobody has taken it"
        return switch self {
        case .open:
            "\(nobody) within \(Figures.whole(seconds, columns: 3)) s; the call is still open\(some)"
        case .taken(let takers):
            "\(takers.joined(separator: ", ")) \(takers.count == 1 ? "takes" : "take") the call\(some)"
        case .declinedByAll: "the call is declined by \(names)"
        case .withdrawn: "the call was withdrawn\(some)"
        case .expired: "\(nobody) until the call's time was over\(some)"
        }
    }
}

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

struct WithdrawCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "withdraw", abstract: "Takes a call of this node back.")

    @OptionGroup var node: NodeChoice
    @Argument(help: "The beginning of the call's id (the newest call that waits).")
    var call: String?

    var request: CallWithdrawRequest { CallWithdrawRequest(call: call) }

    func confirmation(_ answer: CallsDocument) -> String { "the call is withdrawn" }
}

struct DoNotDisturbCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dnd", abstract: "Sets or shows do-not-disturb: only urgent calls are shown.",
        discussion: """
            Other calls are declined at once, and stay in `partyline calls` until their time is over. Do-not-disturb \
            lasts until the node ends.
            """)

    @OptionGroup var node: NodeChoice
    @Argument(help: "on or off; without it the verb shows the state.")
    var position: OnOff?

    func run() throws {
        let calls = try position.map { try node.ask(DoNotDisturbRequest(on: $0 == .on)) } ?? node.ask(CallsRequest())
        try Output.line("do-not-disturb is \(calls.doNotDisturb ? "on" : "off")")
    }
}

struct CloseMicrophoneCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "close-microphone", abstract: "Asks a peer to close its microphone.",
        discussion: """
            The peer does so unless its --grant-close-microphone forbids it; a key that is pressed again talks again. \
            All listeners of the channel are told your name.
            """)

    @OptionGroup var node: NodeChoice
    @Argument(help: "A name, an id, or the beginning of one.")
    var peer: String
    @Option(help: ArgumentHelp("A channel to which both listen (the first one).", valueName: "name"))
    var channel: String?

    var request: CloseMicrophoneRequest { CloseMicrophoneRequest(peer: peer, channel: channel) }

    func confirmation(_ answer: DoneDocument) -> String {
        "\(peer) is asked to close its microphone; `partyline events` has the answer"
    }
}
