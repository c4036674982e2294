import Primitives
import Trust
import Wire

/// INVITE and ACCEPT: from an open carrier to agreed keys. The election of a leader needs no message: it is the greater
/// NodeID of the pair. Only the leader invites, so a pair gets exactly one link, even if both sides dial:
///
///     leader                                            follower
///        HELLO (nonce L)  ───────────────────────────►
///                         ◄───────────────────────────  HELLO (nonce F)
///        INVITE (attempt, echo F, half of the keys) ──►  installs: opens with the new keys
///        installs         ◄───────────────────────────  ACCEPT (attempt, echo L, other half)
///        MEDIA_KEY_CONFIRM ──────────────────────────►  seals with the new keys
///        control block    ◄──── UDP or carrier ──────►  control block
///        up on the echo of its control block            up on the echo of its control block
///
/// The echoes L and F of the nonces prove that a message answers the HELLO of this carrier, not of an earlier one.
extension Links {
    // MARK: Leader

    /// Whether the leader needs no further carrier of the peer, because a link is up or an invitation is on its way.
    /// Only the leader asks.
    ///
    /// A follower dials a linked leader only while the session has no direct carrier. If the follower's carrier opens
    /// within `parallelCarriersMax` of the session's start, both sides have dialled at the same time, and the second
    /// carrier is not needed. If it opens later, the follower has lost the link or its carrier, and the leader does not
    /// know that yet.
    func isBusy(beside carrier: CarrierEntry) -> Bool {
        let index = carrier.slot.index
        switch self[index].state {
        case .inviting(let negotiation): return negotiation.carrier != carrier.id
        case .up:
            if self[index].renewal.negotiation != nil { return true }
            guard let session = self[index].session, session.carrier != nil else { return false }
            // A direct carrier replaces a tunnelled one, to relieve the neighbour.
            if !carrier.isTunnelled, isTunnelled(index) { return false }
            return carrier.isOwnDial || carrier.openedAt < session.startedAt + MeshLimits.parallelCarriersMax
        case .verifying: return self[index].renewal.negotiation != nil
        case .down, .connecting, .awaitingInvite, .awaitingDecision: return false
        }
    }

    /// Opens a candidate for a new attempt, and returns the INVITE with this node's half of its keys.
    /// - Precondition: the peer has no candidate.
    mutating func openCandidate(
        inviting greeting: Greeting, on carrier: CarrierEntry, keyID: UInt32, _ own: LocalEnd, now: Instant
    ) -> Invite {
        let index = carrier.slot.index
        self[index].attempt += 1
        let attempt = self[index].attempt
        let context = own.context(
            with: self[index].node, greeting, nonces: carrier.nonces, attempt: attempt, isLeader: true)
        var media = MediaSession(context: context, sealing: own.sealing)
        let offer = media.makeOffer(generation: MeshLimits.firstGeneration, keyID: keyID)
        self[index].open(candidate: Session(context, greeting, media, keyID: keyID, on: carrier, now: now))
        return Invite(attempt: attempt, nonceEcho: greeting.nonce, keys: offer)
    }

    enum AcceptResult {
        case isStale
        /// The peer's half of the keys is of no use.
        case keysFailed
        /// Both sides have the keys. Only the first echo is missing.
        case keysActive
    }

    mutating func receiveAccept(
        _ accept: Accept, on carrier: CarrierEntry, _ effects: inout Effects, now: Instant
    ) -> AcceptResult {
        let index = carrier.slot.index
        guard self[index].isLeader, let candidate = self[index].candidate, candidate.link.attempt == accept.attempt,
            candidate.carrier == carrier.id, candidate.keys == .offered, accept.nonceEcho == carrier.ownNonce
        else {
            effects.count(.acceptsStale)
            return .isStale
        }
        guard candidate.media.install(peer: accept.keys, now: now) else {
            effects.count(.keyOffersStale)
            return .keysFailed
        }
        candidate.activateKeys(generation: MeshLimits.firstGeneration, now: now)
        effects.send(.mediaKeyConfirm(generation: MeshLimits.firstGeneration), on: carrier.id)
        waitForEcho(index, &effects, now: now)
        return .keysActive
    }

    // MARK: Follower

    /// Lets the follower wait for INVITE on a carrier whose HELLOs are exchanged. If the peer is not linked, this is
    /// the attempt of the link; if it is linked, this is a renewal.
    /// - Parameter isUndecided: whether the person at this node has yet to decide about the peer.
    mutating func awaitInvite(on carrier: CarrierEntry, isUndecided: Bool, _ effects: inout Effects, now: Instant) {
        let index = carrier.slot.index
        let negotiation = LinkNegotiation(on: carrier.id, now: now)
        if self[index].state.isLinked {
            if self[index].renewal.negotiation == nil { self[index].renewal = .negotiating(negotiation) }
            return
        }
        // If the attempt already has a candidate, the HELLO of a further carrier changes nothing: the attempt goes on,
        // on the carrier on which the leader sent INVITE.
        if case .awaitingInvite = self[index].state, self[index].candidate != nil { return }
        // The person at this node has not decided. Until then, HELLO does not change the state.
        if case .awaitingDecision = self[index].state, isUndecided { return }
        makeReady(index, &effects, now: now)
        changeAttempt(index, .awaits(negotiation), &effects)
    }

    /// Whether the follower may answer the invitation. The invitation must answer the HELLO of this carrier, and be
    /// newer than both the session and the candidate. A second answer to the same invitation would change keys that the
    /// leader has installed already.
    func isAnswerable(_ invite: Invite, on carrier: CarrierEntry) -> Bool {
        let link = self[carrier.slot.index]
        guard let greeting = carrier.greeting, !link.isLeader, invite.nonceEcho == carrier.ownNonce,
            invite.keys.generation == MeshLimits.firstGeneration
        else { return false }
        return isNewer(invite.attempt, greeting, than: link.session)
            && isNewer(invite.attempt, greeting, than: link.candidate)
    }

    /// Whether the attempt is newer than the session. Attempt numbers are compared within one boot: a boot goes on
    /// counting when it advances. An attempt of another boot is always newer.
    private func isNewer(_ attempt: UInt32, _ greeting: Greeting, than session: Session?) -> Bool {
        guard let session, session.bootNonce == greeting.bootNonce else { return true }
        return session.link.attempt < attempt
    }

    /// Opens a candidate for an invitation, and returns the ACCEPT with this node's half of its keys. Returns nil, and
    /// releases `keyID`, if the leader's half is of no use.
    /// - Precondition: the peer has no candidate.
    mutating func openCandidate(
        accepting invite: Invite, of greeting: Greeting, on carrier: CarrierEntry, keyID: UInt32, _ own: LocalEnd,
        _ effects: inout Effects, now: Instant
    ) -> Accept? {
        let index = carrier.slot.index
        let context = own.context(
            with: self[index].node, greeting, nonces: carrier.nonces, attempt: invite.attempt, isLeader: false)
        var media = MediaSession(context: context, sealing: own.sealing)
        let offer = media.makeOffer(generation: invite.keys.generation, keyID: keyID)
        guard media.install(peer: invite.keys, now: now) else {
            effects.count(.keyOffersStale)
            release(keyID)
            return nil
        }
        let session = Session(context, greeting, media, keyID: keyID, on: carrier, now: now)
        session.keys = .installed
        self[index].open(candidate: session)
        return Accept(attempt: invite.attempt, nonceEcho: greeting.nonce, keys: offer)
    }

    /// Lets the follower seal with the first key generation: the leader has shown that it has the keys too.
    /// - Returns: whether the keys have become active.
    func activateCandidateKeys(_ index: Int, now: Instant) -> Bool {
        guard let candidate = self[index].candidate, candidate.keys == .installed else { return false }
        candidate.activateKeys(generation: MeshLimits.firstGeneration, now: now)
        return true
    }

    // MARK: Both

    /// Takes a token of the peer's allowance for invitations and key offers.
    mutating func admitAgreement(of index: Int, _ effects: inout Effects, now: Instant) -> Bool {
        if self[index].admitAgreement(now: now) { return true }
        effects.count(.agreementsOverRate)
        return false
    }

    /// Stores that both sides negotiate a session on this carrier, and sends nothing. If the peer is linked, the
    /// renewal of the carrier becomes `negotiating`. Otherwise the state of the link becomes `inviting` or
    /// `awaitingInvite`.
    mutating func beginNegotiation(on carrier: CarrierEntry, _ effects: inout Effects, now: Instant) {
        let index = carrier.slot.index
        let negotiation = LinkNegotiation(on: carrier.id, now: now)
        guard !self[index].state.isLinked else { return self[index].renewal = .negotiating(negotiation) }
        makeReady(index, &effects, now: now)
        changeAttempt(index, self[index].isLeader ? .invited(negotiation) : .awaits(negotiation), &effects)
    }

    /// Extends the negotiation to at least `candidateEchoMin` from now. The other side has both halves of the keys and
    /// may use the new session at any instant. If this side gave up before the echo came, only the other side would
    /// have the keys.
    mutating func waitForEcho(_ index: Int, _ effects: inout Effects, now: Instant) {
        self[index].extendNegotiation(until: now + MeshLimits.candidateEchoMin)
        effects.invalidateDeadlines()
    }
}

/// This node as one end of its links.
struct LocalEnd {
    let node: NodeID
    /// The present instance of this boot.
    let instance: Instance
    let bootNonce: BootNonce
    let sealing: any Sealing
}

extension LocalEnd {
    /// Returns the values from which both sides derive the keys of an attempt.
    func context(
        with peer: NodeID, _ greeting: Greeting, nonces: [UInt8], attempt: UInt32, isLeader: Bool
    ) -> SessionContext {
        let link = LinkID(
            leaderInstance: isLeader ? instance : greeting.instance,
            followerInstance: isLeader ? greeting.instance : instance, attempt: attempt)
        return SessionContext(
            leader: isLeader ? node : peer, follower: isLeader ? peer : node, link: link,
            leaderBoot: isLeader ? bootNonce : greeting.bootNonce,
            followerBoot: isLeader ? greeting.bootNonce : bootNonce, nonces: nonces, isLeader: isLeader)
    }
}
