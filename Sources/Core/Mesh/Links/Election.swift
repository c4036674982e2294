import Primitives
import Trust
import Wire

/// From an open carrier to agreed keys. Only the leader invites, so a pair gets exactly one link, even if both sides
/// dial:
///
///     leader                                            follower
///        HELLO (nonce L)  ───────────────────────────►
///                         ◄───────────────────────────  HELLO (nonce F)
///        INVITE (attempt, echo F, half of the keys) ──►  installs: opens with the new keys
///        installs         ◄───────────────────────────  ACCEPT (attempt, echo L, other half)
///        MEDIA_KEY_CONFIRM ──────────────────────────►  seals with the new keys
///        control block    ◄──── UDP or carrier ──────►  control block
///        up on the echo of its nonce                    up on the echo of its nonce
///
/// Each echo proves that a message answers the HELLO of this connection, not an older one.
extension MeshNode {
    mutating func sendHello(on line: CarrierEntry) {
        let seen = membership.roster[links[line.slot.index].node]?.instanceSeen
        let hello = Hello(
            versionMin: WireLimits.version, versionMax: WireLimits.version, mesh: configuration.mesh,
            record: membership.own.signed, yourRecord: line.peerRecordSent, nonce: line.ownNonce,
            bootNonce: configuration.bootNonce, mediaPort: configuration.port, yourInstanceSeen: seen)
        effects.send(.hello(hello), on: line.id)
    }

    mutating func receiveHello(_ hello: Hello, on line: CarrierEntry, now: Instant) {
        let index = line.slot.index
        guard let record = try? hello.record.verified(with: sealing), record.node == links[index].node,
            record.bootNonce == hello.bootNonce, !record.isLeaving
        else {
            effects.count(.hellosForged)
            abandon(line, now: now)
            return
        }
        confirmAlive(index, now: now)
        // This is the only admission of the carrier: after a refusal this node reads nothing more on it.
        let greeting = Greeting(
            instance: record.instance, bootNonce: record.bootNonce, nonce: hello.nonce, mediaPort: hello.mediaPort)
        switch admit(hello, record, on: line, now: now) {
        case .refused(let reason, let retryAfter):
            refuse(line, reason, retryAfter: retryAfter)
            // Both sides may refuse at once, and then neither side reads the other's reason.
            if reason == .otherMesh || reason == .version {
                effects.report(.refused(links[index].node, reason))
            }
            // Two nodes that were both rolled back refuse each other. Perhaps only this peer has this node's own
            // higher record, so this node takes it from the refused HELLO.
            if reason == .staleInstance || reason == .coolingDown {
                handleOwnRecord(hello, from: record.node, now: now)
            }
            dismiss(line, reason, retryAfter: retryAfter, now: now)
            return
        case .admitted:
            links.carriers.greet(line.id, greeting)
        }
        handleOwnRecord(hello, from: record.node, now: now)
        registerInstance(record.instance, record.bootNonce, of: index, now: now)
        accept(record, hello.record, from: line.slot, isFromSubject: true, now: now)
        guard let greeted = links.carriers[line.id] else { return }
        if !line.isTunnelled { reachability[index].directSearch = DirectSearch() }
        if let dialled = line.dialled {
            reachability[index].addresses.markGood(dialled, source: .remembered, now: now)
            rememberReach(of: dialled)
        }
        let leads = links[index].isLeader
        if leads { leadOn(greeted, now: now) } else { followOn(greeted, now: now) }
    }

    private mutating func handleOwnRecord(_ hello: Hello, from peer: NodeID, now: Instant) {
        guard let signed = hello.yourRecord, signed != membership.own.signed, signed.publicKey == sealing.publicKey,
            let record = try? signed.verified(with: sealing)
        else {
            // Without this node's signature a higher instance proves nothing. This node counts it, for people, and
            // does nothing else.
            if let seen = hello.yourInstanceSeen, membership.own.record.instance < seen {
                effects.count(.ownInstanceRolledBack)
            }
            return
        }
        compareOwnRecord(record, from: peer, now: now)
    }

    // MARK: Leader

    private mutating func leadOn(_ line: CarrierEntry, now: Instant) {
        let index = line.slot.index
        switch invitation(for: links[index].node) {
        case .forbidden:
            refuse(line, .notAllowed, retryAfter: MeshLimits.refusalRetry)
            dismiss(line, .notAllowed, retryAfter: MeshLimits.refusalRetry, now: now)
        case .undecided:
            refuse(line, .undecided, retryAfter: MeshLimits.decisionRetry)
            askPerson(about: index, on: line, now: now)
        case .allowed:
            guard isBusy(index, beside: line) else {
                invite(on: line, now: now)
                return
            }
            effects.count(.alreadyLinked)
            refuse(line, .alreadyLinked, retryAfter: MeshLimits.refusalRetryShort)
            closeQuietly(line.id)
            settleRenewal(index, after: line, retryAfter: MeshLimits.refusalRetryShort, now: now)
        }
    }

    /// Whether a link, or an invitation on its way, makes this carrier superfluous. Only the leader asks.
    ///
    /// A follower dials only while it has no carrier. If the follower's carrier opens within `parallelCarriersMax` of
    /// the session's start, both sides have dialled at once, and the carrier is superfluous. If it opens later, the
    /// session's own carrier is half open.
    private func isBusy(_ index: Int, beside line: CarrierEntry) -> Bool {
        switch links[index].state {
        case .inviting(let negotiation): return negotiation.carrier != line.id
        case .up:
            if links[index].renewal.negotiation != nil { return true }
            guard let session = links[index].session, let carrier = session.carrier else { return false }
            // A direct carrier replaces a tunnelled one, to relieve the neighbour.
            if !line.isTunnelled, links.carriers[carrier]?.isTunnelled == true {
                return false
            }
            return line.isOwnDial || line.openedAt < session.startedAt + MeshLimits.parallelCarriersMax
        case .verifying: return links[index].renewal.negotiation != nil
        case .down, .connecting, .awaitingInvite, .awaitingDecision, .quarantined: return false
        }
    }

    mutating func invite(on line: CarrierEntry, now: Instant) {
        let index = line.slot.index
        guard let greeting = line.greeting, let keyID = makeKeyID(for: index) else { return }
        dropCandidate(index)
        links[index].attempt += 1
        let context = makeContext(greeting, of: index, attempt: links[index].attempt)
        var media = MediaSession(context: context, sealing: sealing)
        let offer = media.makeOffer(generation: MeshLimits.firstGeneration, keyID: keyID)
        openCandidate(
            makeSession(context, greeting, media, keyID: keyID, line: line, now: now), greeting, line, now: now)
        effects.send(
            .invite(Invite(attempt: context.link.attempt, nonceEcho: greeting.nonce, keys: offer)), on: line.id)
        negotiate(index, as: LinkEvent.invited, on: line, now: now)
    }

    mutating func receiveAccept(_ accept: Accept, on line: CarrierEntry, now: Instant) {
        let index = line.slot.index
        guard links[index].isLeader, let link = links[index].candidate?.link,
            link.attempt == accept.attempt,
            links[index].candidate?.carrier == line.id, links[index].candidate?.keys == .offered,
            accept.nonceEcho == line.ownNonce
        else {
            effects.count(.acceptsStale)
            return
        }
        guard links[index].candidate?.media.install(peer: accept.keys, now: now) == true else {
            effects.count(.keyOffersStale)
            abandon(line, now: now)
            return
        }
        links[index].candidate?.media.startSending(generation: MeshLimits.firstGeneration, now: now)
        links[index].candidate?.keys = .serving(generation: MeshLimits.firstGeneration, since: now)
        effects.send(.mediaKeyConfirm(generation: MeshLimits.firstGeneration), on: line.id)
        waitForEcho(index, now: now)
        probeCandidate(index, now: now)
    }

    // MARK: Follower

    private mutating func followOn(_ line: CarrierEntry, now: Instant) {
        let index = line.slot.index
        let negotiation = LinkNegotiation(carrier: line.id, deadline: now + MeshLimits.negotiationMax)
        if links[index].state.isLinked {
            if links[index].renewal.negotiation == nil { links[index].renewal = .negotiating(negotiation) }
            return
        }
        // An attempt that already has a candidate goes on, on the carrier that the leader picked.
        if case .awaitingInvite = links[index].state, links[index].candidate != nil { return }
        // The person at this node has not decided. Until then, HELLO does not change the state.
        if case .awaitingDecision = links[index].state, invitation(for: links[index].node) == .undecided { return }
        makeReady(index, now: now)
        setState(index, .awaits(negotiation))
    }

    mutating func receiveInvite(_ invite: Invite, on line: CarrierEntry, now: Instant) {
        let index = line.slot.index
        guard let greeting = line.greeting, !links[index].isLeader,
            invite.nonceEcho == line.ownNonce,
            invite.keys.generation == MeshLimits.firstGeneration,
            isNew(invite.attempt, greeting, for: index),
            !isGhost(greeting.instance, of: links[index].node)
        else {
            effects.count(.invitesStale)
            return
        }
        guard links[index].agreements.take(now: now) else {
            return effects.count(.agreementsOverRate)
        }
        switch invitation(for: links[index].node) {
        case .allowed: answer(invite, greeting, on: line, now: now)
        case .forbidden:
            effects.send(.decline(.notAllowed), on: line.id)
            dismiss(line, .notAllowed, retryAfter: MeshLimits.refusalRetry, now: now)
        case .undecided:
            effects.send(.decline(.undecided), on: line.id)
            askPerson(about: index, on: line, now: now)
        }
    }

    /// Whether the invitation is newer than both the session and the candidate. A second answer to one invitation
    /// would change keys that the leader has installed.
    private func isNew(_ attempt: UInt32, _ greeting: Greeting, for index: Int) -> Bool {
        isNewer(attempt, greeting, than: links[index].session)
            && isNewer(attempt, greeting, than: links[index].candidate)
    }

    /// Whether the attempt is newer than the session. Attempt numbers are compared within one boot: a boot goes on
    /// counting when it advances. An attempt of another boot is always newer.
    private func isNewer(_ attempt: UInt32, _ greeting: Greeting, than session: Session?) -> Bool {
        guard let session, session.bootNonce == greeting.bootNonce else { return true }
        return session.link.attempt < attempt
    }

    private mutating func answer(_ invite: Invite, _ greeting: Greeting, on line: CarrierEntry, now: Instant) {
        let index = line.slot.index
        guard let keyID = makeKeyID(for: index) else { return }
        dropCandidate(index)
        let context = makeContext(greeting, of: index, attempt: invite.attempt)
        var media = MediaSession(context: context, sealing: sealing)
        let offer = media.makeOffer(generation: invite.keys.generation, keyID: keyID)
        guard media.install(peer: invite.keys, now: now) else {
            effects.count(.keyOffersStale)
            links.keyIDs.release(keyID)
            abandon(line, now: now)
            return
        }
        let session = makeSession(context, greeting, media, keyID: keyID, line: line, now: now)
        session.keys = .installed
        openCandidate(session, greeting, line, now: now)
        effects.send(.accept(Accept(attempt: invite.attempt, nonceEcho: greeting.nonce, keys: offer)), on: line.id)
        negotiate(index, as: LinkEvent.awaits, on: line, now: now)
    }

    // MARK: Both

    /// Notes that both sides negotiate a session on this carrier: as the attempt of the link or, while the peer is
    /// linked, as a renewal beside the link.
    private mutating func negotiate(
        _ index: Int, as event: (LinkNegotiation) -> LinkEvent, on line: CarrierEntry, now: Instant
    ) {
        let negotiation = LinkNegotiation(carrier: line.id, deadline: now + MeshLimits.negotiationMax)
        guard !links[index].state.isLinked else { return links[index].renewal = .negotiating(negotiation) }
        makeReady(index, now: now)
        setState(index, event(negotiation))
    }

    /// Extends the negotiation to at least `candidateEchoMax` from now. The other side has both halves of the keys
    /// and may take the session over at any instant. If this side gave up before the echo, the other side would be
    /// alone with the keys.
    mutating func waitForEcho(_ index: Int, now: Instant) {
        let echoBy = now + MeshLimits.candidateEchoMax
        if case .negotiating(let negotiation) = links[index].renewal {
            links[index].renewal = .negotiating(negotiation.lasting(until: echoBy))
        }
        switch links[index].state {
        case .inviting(let negotiation): links[index].state = .inviting(negotiation.lasting(until: echoBy))
        case .awaitingInvite(let negotiation): links[index].state = .awaitingInvite(negotiation.lasting(until: echoBy))
        case .down, .connecting, .awaitingDecision, .up, .verifying, .quarantined: break
        }
        effects.invalidateDeadlines()
    }

    /// Starts an attempt if the peer is down or quarantined: a late carrier may bring a message during such a wait,
    /// and only an attempt can negotiate.
    private mutating func makeReady(_ index: Int, now: Instant) {
        switch links[index].state {
        case .down, .quarantined: setState(index, .opening(now: now))
        case .connecting, .inviting, .awaitingInvite, .awaitingDecision, .up, .verifying: break
        }
    }

    private func makeContext(_ greeting: Greeting, of index: Int, attempt: UInt32) -> SessionContext {
        let isLeader = links[index].isLeader
        let link = LinkID(
            leaderInstance: isLeader ? membership.own.record.instance : greeting.instance,
            followerInstance: isLeader ? greeting.instance : membership.own.record.instance, attempt: attempt)
        return SessionContext(
            leader: isLeader ? node : links[index].node, follower: isLeader ? links[index].node : node, link: link,
            leaderBoot: isLeader ? configuration.bootNonce : greeting.bootNonce,
            followerBoot: isLeader ? greeting.bootNonce : configuration.bootNonce, isLeader: isLeader)
    }

    private func makeSession(
        _ context: SessionContext, _ greeting: Greeting, _ media: MediaSession, keyID: UInt32, line: CarrierEntry,
        now: Instant
    ) -> Session {
        Session(
            context: context, instance: greeting.instance, bootNonce: greeting.bootNonce, media: media, keyID: keyID,
            carrier: line.id, now: now)
    }

    /// Makes a session the candidate, with paths of its own: the address of the carrier and the proved paths of the
    /// session in use.
    private mutating func openCandidate(
        _ session: Session, _ greeting: Greeting, _ line: CarrierEntry, now: Instant
    ) {
        let index = line.slot.index
        let drawn = UInt32(truncatingIfNeeded: effects.random.next())
        let direct = line.remote.map { Endpoint(address: $0.address, port: greeting.mediaPort, scope: $0.scope) }
        let set = PathSet(
            direct: direct, firstSequence: configuration.firstSequence ?? drawn, capacity: configuration.capacity,
            now: now)
        if let former = paths[index].session { set.table.adopt(from: former.table) }
        links[index].candidate = session
        paths[index].candidate = set
    }

    mutating func makeKeyID(for index: Int) -> UInt32? {
        let keyID = links.keyIDs.take(for: links[index].slot)
        if keyID == nil { effects.count(.keyIDsExhausted) }
        return keyID
    }
}
