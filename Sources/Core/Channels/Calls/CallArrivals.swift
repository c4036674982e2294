import Primitives
import Wire

/// Frames of peers about calls and requests.
extension Calls {
    mutating func receive(_ message: CallMessage, from slot: PeerSlot, now: Instant) {
        guard let peer = peers[slot] else { return }
        switch message {
        case .call(let frame): receive(frame, from: slot, of: peer, now: now)
        case .request(let frame): receive(frame, from: slot, of: peer, now: now)
        case .answer(let id, .withdrawn): endWithdrawn(CallKey(caller: peer.node, id: id))
        case .answer(let id, let answer): receive(answer, to: id, from: peer.node)
        }
    }

    // MARK: Calls

    private mutating func receive(_ frame: CallFrame, from slot: PeerSlot, of peer: CallPeer, now: Instant) {
        let key = CallKey(caller: peer.node, id: frame.id)
        if let index = incoming.firstIndex(where: { $0.key == key }) {
            return answerCopy(index, on: slot, now: now)
        }
        guard admitsCall(slot, now: now) else { return counters.count(.callsOverRate) }
        if case .channel(let channel) = frame.target, !channels.contains(channel) {
            return counters.count(.callsOffChannel)
        }
        if frame.target == .all, !grants.callAll.admits(peer.node) {
            counters.count(.callsNotGranted)
            return send(.answer(frame.id, .declined), to: slot)
        }
        guard incoming.count < CallLimits.incomingMax,
            incoming.count(where: { $0.key.caller == peer.node }) < CallLimits.incomingOfPeerMax
        else { return counters.count(.callsOverLimit) }
        let isShown = !isQuiet || frame.isUrgent
        let call = IncomingCall(frame, by: peer.node, state: isShown ? .shown : .quiet, now: now)
        incoming.append(call)
        if isShown { counters.count(.callsShown) }
        send(.answer(frame.id, isShown ? .shown : .declined), to: slot)
        tell(.called(call))
    }

    private mutating func answerCopy(_ index: Int, on slot: PeerSlot, now: Instant) {
        counters.count(.callsRepeated)
        guard let answer = incoming[index].state.answer,
            incoming[index].answeredAt + CallLimits.repeatInterval <= now
        else { return }
        incoming[index].answeredAt = now
        send(.answer(incoming[index].key.id, answer), to: slot)
    }

    private mutating func admitsCall(_ slot: PeerSlot, now: Instant) -> Bool {
        peers[slot]?.admitsCall(now: now) ?? false
    }

    private mutating func endWithdrawn(_ key: CallKey) {
        guard let index = incoming.firstIndex(where: { $0.key == key }) else {
            return counters.count(.callAnswersUnknown)
        }
        guard incoming[index].isOpen else { return counters.count(.callAnswersLate) }
        incoming[index].state = .withdrawn
        tell(.withdrawn(incoming[index]))
    }

    // MARK: Answers

    private mutating func receive(_ answer: CallAnswer, to id: CallID, from node: NodeID) {
        if requests.take(id, from: node) {
            return tell(.closeAnswered(by: node, isObeyed: answer == .accepted))
        }
        guard let index = outgoing.firstIndex(where: { $0.id == id }), outgoing[index].isFor(node) else {
            return counters.count(.callAnswersUnknown)
        }
        guard outgoing[index].take(answer, of: node) else { return counters.count(.callAnswersLate) }
        tell(.answered(id, by: node, answer))
    }

    // MARK: Requests

    private mutating func receive(_ frame: RequestFrame, from slot: PeerSlot, of peer: CallPeer, now: Instant) {
        guard peers[slot]?.admitsRequest(isOfThisNode: frame.subject == node, now: now) == true else {
            return counters.count(.callsOverRate)
        }
        guard channels.contains(frame.channel), peer.channels.contains(frame.channel) else {
            return counters.count(.callsOffChannel)
        }
        guard frame.subject == node else {
            return tell(.closeAsked(by: peer.node, of: frame.subject, on: frame.channel))
        }
        let isGranted = grants.closeMicrophone.admits(peer.node)
        if !isGranted { counters.count(.callsNotGranted) }
        send(.answer(frame.id, isGranted ? .accepted : .declined), to: slot)
        tell(.closeOrdered(by: peer.node, on: frame.channel, isGranted: isGranted))
    }
}
