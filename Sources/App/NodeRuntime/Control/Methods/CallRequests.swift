import Channels
package import ControlPlane
import Mesh
import Node
import Primitives
import Wire

/// The calls of peers and of this node.
package struct CallsRequest: NodeRequest {
    package static let method = ControlMethod(
        "calls", since: "0.1.0", does: "The calls of peers and of this node whose time is not over.")
    package typealias Answer = CallsDocument

    package init() {}

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> CallsDocument {
        try await handler.visit { CallsDocument(of: $0) }
    }
}

/// Calls a peer, a channel or everybody.
package struct CallMakeRequest: NodeRequest {
    package static let method = ControlMethod(
        "calls.make", since: "0.1.0",
        does: "Calls a peer, a channel or everybody. Without a target: the first channel of the talk key.")
    package typealias Answer = CallsDocument

    /// A name, a short id or a whole id. At most one of `peer`, `channel` and `all` is given.
    package var peer: String?
    /// The name of a channel: all who listen to it are called.
    package var channel: String?
    /// Whether all linked peers are called, except nodes that feed programme: nobody is there.
    package var all: Bool?
    /// A few words, at most 24 characters.
    package var text: String?
    /// Whether the call is shown even under do-not-disturb. Absent means false.
    package var urgent: Bool?
    /// Seconds for which the call is open: 1 to 120. Absent means 30.
    package var expiresS: Double?

    package init(
        peer: String? = nil, channel: String? = nil, all: Bool? = nil, text: String? = nil, urgent: Bool? = nil,
        expiresS: Double? = nil
    ) {
        self.peer = peer
        self.channel = channel
        self.all = all
        self.text = text
        self.urgent = urgent
        self.expiresS = expiresS
    }

    package func check() throws(ControlFailure) {
        guard [peer != nil, channel != nil, all == true].count(where: { $0 }) <= 1 else {
            throw ControlFailure(.invalidParameters, "\"peer\", \"channel\" and \"all\" exclude each other")
        }
        if let channel { _ = try channelName(channel, "channel") }
        if let text, SafeText(text).string != text {
            throw ControlFailure(
                .invalidParameters,
                "\"text\" must have at most 24 characters and 96 bytes, all visible, and single spaces between words")
        }
        if let expiresS { try checkNumber(expiresS, within: ControlLimits.callSecondsRange, "expires_s") }
    }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> CallsDocument {
        let request = self
        return try await handler.visit { node in
            let target = try request.target(at: node)
            let milliseconds = request.expiresS.map { UInt32($0 * 1_000) } ?? CallLimits.millisecondsDefault
            let order = CallOrder(
                target, text: SafeText(request.text ?? ""), expiresMilliseconds: milliseconds,
                isUrgent: request.urgent ?? false)
            return CallsDocument(of: node, made: try node.perform(.call(order)))
        }
    }

    private func target(at node: NodeLoop) throws(ControlFailure) -> CallOrder.Target {
        if all == true { return .all(except: node.peers().filter(\.profile.feedsProgramme).map(\.node)) }
        if let peer { return .peer(try node.linkedPeer(peer).peer.node) }
        if let channel { return .channel(try node.existingChannel(try channelName(channel, "channel"))) }
        guard let first = node.firstKeyChannels.first else {
            throw ControlFailure(.notNow, "the talk key speaks on no channel; name a peer or a channel")
        }
        return .channel(first)
    }
}

/// Answers a call of a peer.
package struct CallAnswerRequest: NodeRequest {
    package static let method = ControlMethod(
        "calls.answer", since: "0.1.0", does: "Answers a call: its caller sees that a person takes it, or does not.")
    package typealias Answer = CallsDocument

    /// The caller, or the id of the call or its beginning if no peer has that name. Absent means the newest call that
    /// waits.
    package var call: String?
    /// Whether the call is accepted; else it is declined.
    package var accepted: Bool

    package init(call: String? = nil, accepted: Bool) { (self.call, self.accepted) = (call, accepted) }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> CallsDocument {
        let (call, isAccepted) = (call, accepted)
        return try await handler.visit { node in
            let call = try node.incomingCall(call)
            try node.perform(.answer(call, isAccepted: isAccepted))
            return CallsDocument(of: node, answered: call.id)
        }
    }
}

/// Takes a call of this node back.
package struct CallWithdrawRequest: NodeRequest {
    package static let method = ControlMethod(
        "calls.withdraw", since: "0.1.0", does: "Takes a call of this node back.")
    package typealias Answer = CallsDocument

    /// The id of the call or its beginning. Absent means the newest call that waits.
    package var call: String?

    package init(call: String? = nil) { self.call = call }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> CallsDocument {
        let call = call
        return try await handler.visit { node in
            try node.perform(.withdraw(try node.ownCall(call)))
            return CallsDocument(of: node)
        }
    }
}

/// Sets do-not-disturb.
package struct DoNotDisturbRequest: NodeRequest {
    package static let method = ControlMethod(
        "calls.quiet", since: "0.1.0",
        does: "Sets do-not-disturb: calls that are not urgent are declined, and listed without a sign to people.")
    package typealias Answer = CallsDocument

    /// Whether do-not-disturb is on from now until the node ends.
    package var on: Bool

    package init(on: Bool) { self.on = on }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> CallsDocument {
        let isOn = on
        return try await handler.visit { node in
            try node.perform(.setDoNotDisturb(isOn))
            return CallsDocument(of: node)
        }
    }
}

/// Asks a peer to close its microphone.
package struct CloseMicrophoneRequest: NodeRequest {
    package static let method = ControlMethod(
        "microphone.close", since: "0.1.0",
        does: "Asks a peer to close its microphone. All who listen to the channel are told.")
    package typealias Answer = DoneDocument

    /// A name, a short id or a whole id.
    package var peer: String
    /// A channel to which both nodes listen. Absent means the first one.
    package var channel: String?

    package init(peer: String, channel: String? = nil) { (self.peer, self.channel) = (peer, channel) }

    package func check() throws(ControlFailure) {
        if let channel { _ = try channelName(channel, "channel") }
    }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> DoneDocument {
        let peer = peer
        var name: ChannelName?
        if let channel { name = try channelName(channel, "channel") }
        return try await handler.visit { [name] node in
            try node.askToClose(peer, on: name)
            return DoneDocument()
        }
    }
}
