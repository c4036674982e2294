import Primitives
import Wire

/// Commands of people about calls and requests.
extension Calls {
    mutating func call(_ order: CallOrder, now: Instant) throws(CallRefusal) -> CallID {
        let receivers: [(slot: PeerSlot, node: NodeID)]
        switch order.target {
        case .peer(let node):
            guard let slot = peers.slot(of: node) else { throw .notLinked }
            receivers = [(slot, node)]
        case .channel(let channel): receivers = peers.linked(on: channel)
        case .all: receivers = peers.linked(on: nil).filter { !order.except.contains($0.node) }
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

    /// The answer stands even if the caller is not linked now: a copy of the call brings it to the caller.
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
