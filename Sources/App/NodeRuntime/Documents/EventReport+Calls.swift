package import Channels
package import Primitives
import Wire

extension EventReport {
    /// What happened to a call or request.
    /// - Parameters:
    ///   - nameOf: the display name of a node, already fit for a terminal.
    ///   - channelName: the name of a channel, or its id.
    package init(_ event: CallEvent, nameOf: (NodeID) -> String, channelName: (ChannelID) -> String) {
        switch event {
        case .called(let call):
            let caller = call.key.caller
            let whom = call.target.words(channelName)
            let said = call.said
            let unseen = call.state == .quiet ? " (not shown and declined: do-not-disturb is on)" : ""
            let text = "\(nameOf(caller)) calls \(whom)\(call.isUrgent ? ", urgently" : "")\(said)\(unseen)"
            var details = [
                "call": call.key.id.text, "target": call.target.word, "urgent": "\(call.isUrgent)",
                "shown": "\(call.state != .quiet)", "text": call.text.string,
            ]
            if case .channel(let channel) = call.target { details["channel"] = channelName(channel) }
            self.init(.call, caller, nameOf(caller), text, details.filter { !$0.value.isEmpty })
        case .withdrawn(let call):
            let name = nameOf(call.key.caller)
            // The peer may have other calls open.
            let text = "\(name) no longer calls \(call.target.words(channelName))\(call.said)"
            self.init(.callWithdrawn, call.key.caller, name, text, ["call": call.key.id.text])
        case .missed(let call):
            let name = nameOf(call.key.caller)
            let text = "the call of \(name) to \(call.target.words(channelName)) was not answered\(call.said)"
            self.init(.callMissed, call.key.caller, name, text, ["call": call.key.id.text])
        case .answered(let id, let node, let answer):
            self.init(
                .callAnswered, node, nameOf(node), "\(nameOf(node)) \(answer.words)",
                ["call": id.text, "answer": answer.word])
        case .expired(let id, let waiting):
            let names = waiting.map(nameOf)
            let silence = names.isEmpty ? "nobody answered" : "\(names.joined(separator: ", ")) did not answer"
            self.init(
                .callExpired, nil, nil, "\(silence) the call of this node",
                ["call": id.text, "peers": names.joined(separator: "\n")])
        case .closeAsked, .closeOrdered, .closeAnswered:
            self.init(request: event, nameOf: nameOf, channelName: channelName)
        }
    }

    /// A peer has come to a channel of this node, or has gone from it.
    package static func visitor(
        _ change: ChannelVisitors.Change, nameOf: (NodeID) -> String, channelName: (ChannelID) -> String
    ) -> EventReport {
        let (name, channel) = (nameOf(change.node), channelName(change.channel))
        return EventReport(
            change.hasJoined ? .channelJoined : .channelLeft, change.node, name,
            "\(name) \(change.hasJoined ? "is on" : "is off") \(channel)", ["channel": channel])
    }

    /// For the request to close a microphone.
    private init(request event: CallEvent, nameOf: (NodeID) -> String, channelName: (ChannelID) -> String) {
        switch event {
        case .closeAsked(let node, let subject, let channel):
            self.init(
                .microphoneAsked, node, nameOf(node),
                "\(nameOf(node)) asks \(nameOf(subject)) to close the microphone on \(channelName(channel))",
                ["subject": nameOf(subject), "channel": channelName(channel)])
        case .closeOrdered(let node, let channel, let isGranted):
            let outcome = isGranted ? "has closed the microphone of this node" : "may not close this microphone"
            self.init(
                .microphoneClosed, node, nameOf(node), "\(nameOf(node)) \(outcome)",
                ["channel": channelName(channel), "obeyed": "\(isGranted)"])
        case .closeAnswered(let node, let isObeyed):
            let outcome =
                switch isObeyed {
                case true?: "has closed its microphone"
                case false?: "does not close its microphone"
                case nil: "has not answered the request to close its microphone"
                }
            self.init(
                .microphoneAnswered, node, nameOf(node), "\(nameOf(node)) \(outcome)",
                ["obeyed": isObeyed.map { "\($0)" } ?? "unknown"])
        default: illegal("\(event)", in: "the report of a request")
        }
    }
}

extension IncomingCall {
    /// What the caller said, behind a colon; empty if nothing.
    fileprivate var said: String { text.isEmpty ? "" : ": \(text)" }
}

extension CallTarget {
    /// The word in documents and events.
    var word: String {
        switch self {
        case .receiver: "peer"
        case .channel: "channel"
        case .all: "all"
        }
    }

    fileprivate func words(_ channelName: (ChannelID) -> String) -> String {
        switch self {
        case .receiver: "you"
        case .channel(let channel): "channel \(channelName(channel))"
        case .all: "everybody"
        }
    }
}

extension CallAnswer {
    /// The word in documents and events.
    var word: String {
        switch self {
        case .shown: "shown"
        case .accepted: "accepted"
        case .declined: "declined"
        case .withdrawn: "withdrawn"
        }
    }

    fileprivate var words: String {
        switch self {
        case .shown: "sees the call"
        case .accepted: "answers the call"
        case .declined: "declines the call"
        case .withdrawn: "has ended the call"
        }
    }
}
