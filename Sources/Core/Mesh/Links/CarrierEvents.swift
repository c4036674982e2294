import Primitives
import Trust
import Wire

/// Carriers: what happens when they open, bring a frame or close.
extension MeshNode {
    mutating func openCarrier(_ id: CarrierID, peer: NodeID, dial: DialID?, remote: Endpoint, now: Instant) {
        let dialled = dial.flatMap { finishDial($0) }
        open(id, peer: peer, dialled, .direct(remote: remote, dialled: dialled?.endpoint), now: now)
    }

    /// Opens a carrier in a tunnel, after TLS has proved the identity of the peer. Until then only the neighbour had
    /// named the peer.
    mutating func openTunnelledCarrier(_ id: CarrierID, peer: NodeID, _ tunnel: TunnelID, now: Instant) {
        guard let own = relay.tunnels.ownIndex(of: tunnel).map({ relay.tunnels.own[$0] }), own.peer == peer else {
            effects.output(.carrierClose(id))
            return
        }
        let dialled = own.dial.flatMap { finishDial($0) }
        let via = links[own.hop.slot.index].node
        open(id, peer: peer, dialled, .tunnel(via: via, isOwnDial: dialled != nil), now: now)
    }

    private mutating func open(
        _ id: CarrierID, peer: NodeID, _ dialled: Dialer.Dial?, _ route: CarrierRoute, now: Instant
    ) {
        if peer == node {
            effects.count(.dialsToSelf)
            if let dialled { markWrongAddress(dialled, now: now) }
            effects.output(.carrierClose(id))
            return
        }
        if let dialled { handleAnswer(from: peer, dialled, now: now) }
        if dialled == nil, case .direct(let remote, _) = route, !isWithinReach(remote.address, of: peer) {
            effects.count(.carriersOffLink)
            turnAway(id, .offLink, retryAfter: MeshLimits.refusalRetry)
            return
        }
        guard let index = peerIndex(of: peer, isHere: true, now: now) else {
            effects.count(.peersTableFull)
            turnAway(id, .full, retryAfter: MeshLimits.refusalRetry)
            return
        }
        if dialled == nil, isCoolingDown(index, now: now) {
            guard reachability[index].backoff.cut(now: now) else {
                let wait = reachability[index].backoff.nextCut(now: now) - now
                turnAway(id, .coolingDown, retryAfter: wait)
                return
            }
            effects.count(.cooldownsCut)
        }
        let slot = links[index].slot
        guard links.carriers.lines(of: slot).count < MeshLimits.carriersPerPeerMax else {
            effects.count(.carriersOverLimit)
            effects.output(.carrierClose(id))
            return
        }
        let line = CarrierEntry(
            id: id, slot: slot, route: route, openedAt: now, ownNonce: sealing.randomBytes(count: WireSizes.nonceBytes),
            peerRecordSent: membership.roster[peer]?.signed)
        links.carriers.insert(line)
        // When both sides dial at once, both carriers open. If each side cancelled its own dial, no carrier would
        // stay. So the leader picks one of the two.
        if dialled == nil { reachability[index].dials.stopWaiting() } else { cancelDials(of: index) }
        sendHello(on: line)
        registerOpening(index, of: line, isOwnDial: dialled != nil, now: now)
    }

    /// Whether the peer is in a wait after failures. An authenticated connection counts as a connect request and ends
    /// the wait, at most once in 2 s.
    private func isCoolingDown(_ index: Int, now: Instant) -> Bool {
        switch links[index].state {
        case .down(let dialAt): 0 < reachability[index].backoff.failures && now < dialAt && dialAt != .distantFuture
        case .quarantined: true
        case .connecting, .inviting, .awaitingInvite, .awaitingDecision, .up, .verifying: false
        }
    }

    /// Sends REFUSE with the reason before any HELLO, and closes the carrier.
    private mutating func turnAway(_ id: CarrierID, _ reason: RefusalReason, retryAfter: Interval) {
        effects.count(.refusalsSent)
        effects.send(.refuse(reason, retryAfterMilliseconds: UInt32(clamping: retryAfter.milliseconds)), on: id)
        effects.output(.carrierClose(id))
    }

    /// Starts an attempt for a carrier that has opened, or a renewal if the peer is linked. It does not matter which
    /// side dialled.
    private mutating func registerOpening(_ index: Int, of line: CarrierEntry, isOwnDial: Bool, now: Instant) {
        switch links[index].state {
        case .down(let dialAt):
            // An own dial may open late, after its attempt was refused, and interrupts the wait like a dial of the
            // peer. With `.distantFuture` there is no wait: the dial went to an address that a person gave.
            if !isOwnDial || dialAt != .distantFuture { links[index].interrupted = (line.id, dialAt) }
            setState(index, .opening(now: now))
        case .quarantined:
            setState(index, .opening(now: now))
        case .up, .verifying:
            switch links[index].renewal {
            case .none, .due: links[index].renewal = .connecting(since: now)
            case .connecting, .negotiating: break
            }
        case .connecting, .inviting, .awaitingInvite, .awaitingDecision:
            break
        }
    }

    mutating func receiveFrame(_ frame: [UInt8], on id: CarrierID, now: Instant) {
        guard let line = links.carriers[id] else {
            effects.count(.framesOfUnknownCarrier)
            return
        }
        // Parsing 64 KiB of versions takes a millisecond, so the allowance is checked first.
        if line.greeting != nil, CarrierMessage.isRecordVersions(frame), !admitsVersions(on: line, now: now) { return }
        let message: CarrierMessage
        do {
            message = try CarrierMessage(parsing: frame, isBeforeHello: line.greeting == nil)
        } catch {
            effects.count(.framesMalformed)
            // After HELLO, a frame of unknown kind may come from a newer node and is ignored. After any other error
            // the carrier is closed.
            if error != .unknownKind || line.greeting == nil { abandon(line, now: now) }
            return
        }
        let index = line.slot.index
        if line.greeting == nil {
            guard case .hello(let hello) = message else {
                receiveBeforeHello(message, on: line, now: now)
                return
            }
            receiveHello(hello, on: line, now: now)
            return
        }
        receive(message, on: line, of: index, now: now)
    }

    /// Handles a frame that comes before the peer's HELLO. Only a REFUSE is valid, with a reason that the peer can
    /// have without this node's HELLO.
    private mutating func receiveBeforeHello(_ message: CarrierMessage, on line: CarrierEntry, now: Instant) {
        if case .refuse(let reason, let milliseconds) = message, CarrierMessage.reasonsBeforeHello.contains(reason) {
            let retry = min(.milliseconds(Int64(milliseconds)), MeshLimits.refusalRetry)
            receiveRefusal(reason, retryAfter: retry, on: line, now: now)
            return
        }
        effects.count(.framesUnexpected)
        abandon(line, now: now)
    }

    private mutating func receive(_ message: CarrierMessage, on line: CarrierEntry, of index: Int, now: Instant) {
        switch message {
        case .invite(let invite): receiveInvite(invite, on: line, now: now)
        case .accept(let accept): receiveAccept(accept, on: line, now: now)
        case .decline(let reason):
            receiveRefusal(reason, retryAfter: MeshNode.retryAfter(reason), on: line, now: now)
        case .refuse(let reason, let milliseconds):
            let retry = min(.milliseconds(Int64(milliseconds)), MeshLimits.refusalRetryMax)
            receiveRefusal(reason, retryAfter: retry, on: line, now: now)
        case .mediaKey(let offer): receiveKeyOffer(offer, on: line, now: now)
        case .mediaKeyAnswer(let offer): receiveKeyAnswer(offer, on: line, now: now)
        case .mediaKeyConfirm(let generation): receiveKeyConfirm(generation, on: line, now: now)
        case .connectRequest(let connectRequest): receiveConnectRequest(connectRequest, on: line, from: index, now: now)
        case .channels(let channels): receiveChannels(channels, on: line, of: index, now: now)
        case .records(let records): receiveRecords(records, on: line, of: index, now: now)
        case .recordVersions(let versions): receiveVersions(versions, on: line, of: index, now: now)
        case .linkStates(let entries): receiveLinkStates(entries, on: line, of: index, now: now)
        case .linkChanges(let changes): receiveLinkChanges(changes, on: line, of: index, now: now)
        case .leave: receiveLeave(on: line, of: index, now: now)
        case .datagram(let datagram): receiveCarried(datagram, of: index, now: now)
        case .tunnel(let frame): receiveTunnel(frame, on: line, of: index, now: now)
        case .hello:
            effects.count(.framesUnexpected)
            abandon(line, now: now)
        }
    }

    mutating func closeCarrier(_ id: CarrierID, _ end: CarrierEnd, now: Instant) {
        guard let line = links.carriers.remove(id) else { return }
        carrierGone(line, .carrierClosed(end), now: now)
    }

    /// Closes a carrier that broke the protocol or timed out. An attempt that depends on it fails.
    mutating func abandon(_ line: CarrierEntry, _ failure: LinkFailure = .noAnswer, now: Instant) {
        guard links.carriers.remove(line.id) != nil else { return }
        effects.output(.carrierClose(line.id))
        carrierGone(line, failure, now: now)
    }

    /// Closes a carrier without any consequence for the link.
    mutating func closeQuietly(_ id: CarrierID) {
        guard links.carriers.remove(id) != nil else { return }
        effects.output(.carrierClose(id))
    }

    private mutating func carrierGone(_ line: CarrierEntry, _ failure: LinkFailure, now: Instant) {
        let index = line.slot.index
        if links[index].candidate?.carrier == line.id {
            // If the keys are agreed, the negotiation goes on over the paths until its deadline.
            links[index].candidate?.carrier = nil
            if links[index].candidate?.keys == .offered { dropCandidate(index) }
        }
        if links[index].session?.carrier == line.id {
            links[index].session?.carrier = nil
            paths[index].session?.table.forgetCarrier()
            serveWithout(line, of: index, now: now)
        }
        let isNegotiating =
            links[index].state.negotiation?.carrier == line.id || links[index].renewal.negotiation?.carrier == line.id
        if isNegotiating, links[index].candidate != nil { return }
        if isNegotiating || !links.carriers.lines.contains(where: { $0.slot == line.slot }) {
            endFruitlessAttempt(line, of: index, failure, isNegotiating: isNegotiating, now: now)
        }
    }

    /// Ends the attempt or the renewal that depended on a closed carrier, if nothing else can complete it.
    private mutating func endFruitlessAttempt(
        _ line: CarrierEntry, of index: Int, _ failure: LinkFailure, isNegotiating: Bool, now: Instant
    ) {
        switch links[index].state {
        case .inviting, .awaitingInvite:
            if isNegotiating { failAttempt(index, failure, now: now) }
        case .connecting:
            guard reachability[index].dials.isOver else { return }
            if case .carrierClosed = failure, let (carrier, dialAt) = links[index].interrupted, carrier == line.id {
                // The peer closed the carrier before its HELLO: it cancelled its dial because two dials crossed, or
                // it refused one more carrier. The interrupted wait goes on.
                setState(index, .refused(dialAt: dialAt))
            } else {
                failAttempt(index, failure, now: now)
            }
        case .up, .verifying:
            switch links[index].renewal {
            case .connecting, .negotiating: failRenewal(index, failure, now: now)
            case .none, .due: break
            }
        case .down, .awaitingDecision, .quarantined: break
        }
    }

    /// Handles the loss of the session's carrier without LEAVE. The link is verified at once, because a killed
    /// process closes its carrier immediately. While paths answer, this node dials a new carrier.
    private mutating func serveWithout(_ line: CarrierEntry, of index: Int, now: Instant) {
        // Until now only a direct carrier was wanted. Now the link needs any carrier, so the renewal starts anew.
        if line.isTunnelled, case .due = links[index].renewal { links[index].renewal = .none }
        guard links[index].state.isLinked, links[index].candidate == nil
        else { return }
        if case .up = links[index].state { startProbing(index, now: now) }
        scheduleRenewal(index, now: now)
    }

    mutating func dropSilentCarriers(now: Instant) {
        for line in links.carriers.lines where line.greeting == nil && line.openedAt + MeshLimits.helloWaitMax <= now {
            abandon(line, .noHello, now: now)
        }
    }
}
