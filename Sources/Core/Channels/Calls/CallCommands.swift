package import Primitives
package import Wire

/// What a person does with calls and requests.
package enum CallCommand: Hashable, Sendable {
    case call(CallOrder)
    /// Takes an own call back.
    case withdraw(CallID)
    case answer(CallKey, isAccepted: Bool)
    /// Asks a node to close its microphone. All linked peers that listen to the channel are told.
    case askToClose(NodeID, on: ChannelID)
    case setDoNotDisturb(Bool)
}

/// A call as a person wants it.
package struct CallOrder: Hashable, Sendable {
    package enum Target: Hashable, Sendable {
        case peer(NodeID)
        /// All linked peers that listen to the channel.
        case channel(ChannelID)
        /// All linked peers, without those at which nobody is there to see the call.
        case all(except: [NodeID] = [])
    }

    package let target: Target
    package let text: SafeText
    /// Within `CallLimits.milliseconds`.
    package let expiresMilliseconds: UInt32
    package let isUrgent: Bool

    /// A time beyond the bounds becomes the nearer bound.
    package init(
        _ target: Target, text: SafeText = SafeText(""),
        expiresMilliseconds: UInt32 = CallLimits.millisecondsDefault, isUrgent: Bool = false
    ) {
        self.target = target
        self.text = text
        let bounds = CallLimits.milliseconds
        self.expiresMilliseconds = min(bounds.upperBound, max(bounds.lowerBound, expiresMilliseconds))
        self.isUrgent = isUrgent
    }
}

/// Why a command about calls was not carried out.
package enum CallRefusal: Error, Hashable, Sendable {
    /// The peer has no link.
    case notLinked
    /// The call has no receiver: no linked peer is among those for which it is.
    case nobody
    /// `CallLimits.outgoingMax` own calls, or `CallLimits.requestsMax` requests, are open.
    case full
    /// Every receiver of the call, or the subject of the request, would drop it, because this node has sent as many as
    /// one takes. The first of them takes another one after `wait`.
    case tooSoon(wait: Interval)
    /// No call of that number is known.
    case unknown
    /// The call was answered or withdrawn, or its time is over.
    case ended
    /// This node, or the node that is to close its microphone, does not listen to the channel.
    case notOnChannel
}

/// Commands of people about calls and requests.
extension Calls {
    mutating func call(_ order: CallOrder, now: Instant) throws(CallRefusal) -> CallID {
        let receivers: [(slot: PeerSlot, node: NodeID)]
        switch order.target {
        case .peer(let node):
            guard let slot = peers.slot(of: node) else { throw .notLinked }
            receivers = [(slot, node)]
        case .channel(let channel): receivers = peers.linked(on: channel)
        case .all(let except): receivers = peers.linked(on: nil).filter { !except.contains($0.node) }
        }
        guard !receivers.isEmpty else { throw .nobody }
        // A receiver that drops the call now may take a copy of it later.
        let wait = waitForCall(to: receivers.map(\.slot), now: now)
        guard wait == .zero else { throw .tooSoon(wait: wait) }
        if CallLimits.outgoingMax <= outgoing.count {
            guard let ended = outgoing.firstIndex(where: { !$0.isOpen }) else { throw .full }
            outgoing.remove(at: ended)
        }
        let call = OutgoingCall(drawID(), order, to: receivers.map(\.node), now: now)
        outgoing.append(call)
        counters.count(.callsSent)
        for receiver in receivers {
            peers[receiver.slot]?.countCall(now: now)
            send(.call(call.frame(now: now)), to: receiver.slot)
        }
        return call.id
    }

    /// Returns how long all of these peers still drop calls of this node.
    private mutating func waitForCall(to slots: [PeerSlot], now: Instant) -> Interval {
        var shortest: Interval?
        for slot in slots {
            guard let wait = peers[slot]?.waitForCall(now: now) else { continue }
            shortest = min(shortest ?? wait, wait)
        }
        return shortest ?? .zero
    }

    mutating func withdraw(_ id: CallID) throws(CallRefusal) {
        guard let index = outgoing.firstIndex(where: { $0.id == id }) else { throw .unknown }
        guard outgoing[index].isOpen else { throw .ended }
        for node in outgoing[index].waiting {
            if let slot = peers.slot(of: node) { send(.answer(id, .withdrawn), to: slot) }
        }
        outgoing[index].withdraw()
    }

    /// The answer stands even if the caller is not linked now: the caller gets it when it sends the call again.
    mutating func answer(_ key: CallKey, isAccepted: Bool, now: Instant) throws(CallRefusal) {
        guard let index = incoming.firstIndex(where: { $0.key == key }) else { throw .unknown }
        guard incoming[index].isOpen, now < incoming[index].expiresAt else { throw .ended }
        incoming[index].state = isAccepted ? .accepted : .declined
        incoming[index].answeredAt = now
        if let slot = peers.slot(of: key.caller) { send(.answer(key.id, isAccepted ? .accepted : .declined), to: slot) }
    }

    mutating func askToClose(_ subject: NodeID, on channel: ChannelID, now: Instant) throws(CallRefusal) -> CallID {
        guard let slot = peers.slot(of: subject) else { throw .notLinked }
        let listeners = peers.linked(on: channel)
        guard channels.contains(channel), listeners.contains(where: { $0.node == subject }) else {
            throw .notOnChannel
        }
        let wait = peers[slot]?.waitForRequest(now: now) ?? .zero
        guard wait == .zero else { throw .tooSoon(wait: wait) }
        let id = drawID()
        guard requests.add(id, of: subject, now: now) else { throw .full }
        peers[slot]?.countRequest(now: now)
        let request = RequestFrame(id: id, channel: channel, subject: subject)
        for listener in listeners { send(.request(request), to: listener.slot) }
        return id
    }
}
