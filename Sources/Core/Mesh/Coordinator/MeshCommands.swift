import Primitives
import Wire

/// Performs the commands of people.
extension MeshNode {
    mutating func perform(_ command: MeshCommand, now: Instant) {
        switch command {
        case .leave: leave(now: now)
        case .setChannels(let channels, let talks):
            membership.setChannels(ChannelView(channels, talks: talks), neighbours, &effects, now: now)
            sendListsAhead(now: now)
        case .setProfile(let profile): changeOwnRecord(now: now) { $0.profile = profile }
        case .block(let peer): block(peer, now: now)
        case .unblock(let peer): unblock(peer, now: now)
        case .decideAdmission(let peer, let isAccepted): decideAdmission(of: peer, isAccepted: isAccepted, now: now)
        case .probe(let slot): probe(slot, now: now)
        case .setAdmissionPolicy(let policy): setAdmissionPolicy(policy, now: now)
        case .compareWords(let slot): compareWords(slot, now: now)
        case .setRecording(let isRecording): setRecording(isRecording, now: now)
        case .setGrants(let grants): setGrants(grants, now: now)
        case .changeCode(let leaving, let codeKey): changeCode(leaving: leaving, codeKey: codeKey, now: now)
        case .openPairing(let codeKey): openPairing(codeKey: codeKey, now: now)
        case .closePairing: closePairing(.person)
        case .setBeacons(let areSent): reachability.setBeacons(areSent, &effects, now: now)
        }
    }

    // MARK: Leaving and blocking

    /// Sends a leaving record and LEAVE on every session, then closes everything.
    private mutating func leave(now: Instant) {
        membership.leave(sealing: sealing)
        for index in links.indices {
            if let carrier = links[index].session?.carrier {
                effects.send(.records([membership.own.signed]), on: carrier)
                effects.send(.leave, on: carrier)
            }
            reachability.cancelDials(of: index, &effects)
            dropCandidate(index)
            if links[index].session != nil {
                endSession(index, .localLeave, dialAt: .distantFuture, now: now)
            }
        }
        for carrier in links.carriers.entries { links.closeQuietly(carrier.id, &effects) }
        reachability.cancelStaticDials(&effects)
        hasLeft = true
    }

    mutating func receiveLeave(on carrier: CarrierEntry, now: Instant) {
        let index = carrier.slot.index
        guard links[index].role(of: carrier.id) != nil else { return effects.count(.framesUnexpected) }
        reachability[index].unwant()
        dropCandidate(index)
        endSession(index, .left, dialAt: .distantFuture, now: now)
        links.closeQuietly(carrier.id, &effects)
    }

    private mutating func block(_ peer: NodeID, now: Instant) {
        guard peer != node, !configuration.blocked.contains(peer), configuration.blocked.count < MeshLimits.blockedMax
        else { return }
        configuration.blocked.append(peer)
        guard let index = links.index(of: peer) else { return }
        keepOut(index, Refusal(.blocked, retryAfter: MeshLimits.refusalRetryMax), now: now)
    }

    /// Ends the link, the attempt and the dials of a peer, because the person at this node has blocked it or uses a
    /// policy that does not let it in. Sends the refusal on each carrier on which the peer's HELLO has come.
    mutating func keepOut(_ index: Int, _ refusal: Refusal, now: Instant) {
        for carrier in links.carriers.entries(of: links[index].slot) where carrier.greeting != nil {
            links.refuse(carrier, refusal, &effects)
        }
        reachability.cancelDials(of: index, &effects)
        dropCandidate(index)
        reachability[index].endConnectRequests()
        links[index].endQuestion()
        endSession(index, .blocked, dialAt: .distantFuture, now: now)
        for carrier in links.carriers.entries(of: links[index].slot) { links.closeQuietly(carrier.id, &effects) }
    }

    /// Ends the block of a peer. Connects to the peer if it has a slot, or if the roster has a record of it that is no
    /// leaving record. The roster kept the record during the block, and the record may name the peer's present
    /// addresses. A wait after a refusal ends: the block was its reason.
    private mutating func unblock(_ peer: NodeID, now: Instant) {
        configuration.blocked.removeAll { $0 == peer }
        membership.invalidateClique()
        let record = membership.roster[peer].flatMap { $0.record.isLeaving ? nil : $0.record }
        guard record != nil || links.index(of: peer) != nil, let index = peerIndex(of: peer) else { return }
        if let record { reachability[index].replaceAddresses(with: record.endpoints) }
        if links[index].lastFailure == .refused(.blocked) { links[index].forgetFailure() }
        if links[index].state.isDown { setState(index, .scheduled(dialAt: .distantFuture)) }
        startConnecting(index, now: now)
    }
}
