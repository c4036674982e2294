import Primitives
import Wire

/// Frames that come on carriers, and which function handles each kind.
extension MeshNode {
    mutating func receiveFrame(_ frame: [UInt8], on id: CarrierID, now: Instant) {
        guard let carrier = links.carriers[id] else {
            effects.count(.framesOfUnknownCarrier)
            return
        }
        // Parsing 64 KiB of versions takes a millisecond, so the allowance is checked first.
        if carrier.greeting != nil, FrameKind(of: frame) == .recordVersions, !admitsVersions(on: carrier, now: now) {
            return
        }
        let message: CarrierMessage
        do {
            message = try CarrierMessage(parsing: frame, isBeforeHello: carrier.greeting == nil)
        } catch {
            effects.count(.framesMalformed)
            // After HELLO, a frame of unknown kind may come from a newer node and is ignored. After any other error
            // the carrier is closed.
            if error != .unknownKind || carrier.greeting == nil { abandon(carrier, now: now) }
            return
        }
        let index = carrier.slot.index
        if carrier.greeting == nil {
            switch message {
            case .admission(let step): advanceAdmission(.frame(step), on: carrier, now: now)
            case .hello(let hello) where carrier.admission.isAdmitted: receiveHello(hello, on: carrier, now: now)
            default: receiveBeforeHello(message, on: carrier, now: now)
            }
            return
        }
        receiveMessage(message, on: carrier, of: index, now: now)
    }

    /// Handles a frame that comes before the peer's HELLO and is no step of the admission. Only a REFUSE is valid, with
    /// a reason that the peer can have now: it knows whether the codes are equal only once it has this node's tag.
    private mutating func receiveBeforeHello(_ message: CarrierMessage, on carrier: CarrierEntry, now: Instant) {
        if case .refuse(let reason, let milliseconds) = message, CarrierMessage.reasonsBeforeHello.contains(reason),
            reason != .wrongCode || carrier.admission.isJudged
        {
            let retry = min(.milliseconds(Int64(milliseconds)), MeshLimits.refusalRetry)
            receiveRefusal(Refusal(reason, retryAfter: retry), on: carrier, now: now)
            return
        }
        effects.count(.framesUnexpected)
        abandon(carrier, now: now)
    }

    private mutating func receiveMessage(
        _ message: CarrierMessage, on carrier: CarrierEntry, of index: Int, now: Instant
    ) {
        switch message {
        case .invite(let invite): receiveInvite(invite, on: carrier, now: now)
        case .accept(let accept): receiveAccept(accept, on: carrier, now: now)
        case .decline(let reason): receiveRefusal(Refusal(declinedFor: reason), on: carrier, now: now)
        case .refuse(let reason, let milliseconds):
            let retry = min(.milliseconds(Int64(milliseconds)), MeshLimits.refusalRetryMax)
            receiveRefusal(Refusal(reason, retryAfter: retry), on: carrier, now: now)
        case .mediaKey(let offer): links.receiveKeyOffer(offer, on: carrier, &effects, now: now)
        case .mediaKeyAnswer(let offer): links.receiveKeyAnswer(offer, on: carrier, &effects, now: now)
        case .mediaKeyConfirm(let generation): receiveKeyConfirm(generation, on: carrier, now: now)
        case .connectRequest(let connectRequest): receiveConnectRequest(connectRequest, on: carrier, now: now)
        case .channels(let channels, let talks, let generation):
            let view = ChannelView(channels, talks: talks)
            receiveChannels(view, generation: generation, on: carrier, of: index, now: now)
        case .records(let records): receiveRecords(records, on: carrier, of: index, now: now)
        case .recordVersions(let versions): receiveVersions(versions, on: carrier, of: index, now: now)
        case .linkStates(let entries, let generation):
            receiveLinkStates(entries, generation: generation, on: carrier, of: index, now: now)
        case .leave: receiveLeave(on: carrier, now: now)
        case .datagram(let datagram): receiveCarried(datagram, of: index, now: now)
        case .tunnel(let frame): receiveTunnel(frame, on: carrier, of: index, now: now)
        case .table(let message): receiveTable(message, on: carrier, of: index)
        case .call(let message): receiveCall(message, on: carrier, of: index)
        case .admission(.member(let member)): receiveProof(member, on: carrier, now: now)
        case .epoch(let grant): receiveEpoch(grant, on: carrier, now: now)
        case .channelJoin(let join): receiveChannelJoin(join, on: carrier, of: index)
        case .words(let step): receiveWords(step, on: carrier, now: now)
        case .hello, .admission:
            effects.count(.framesUnexpected)
            abandon(carrier, now: now)
        }
    }
}
