import Primitives
import Wire

/// The handshake after the HELLOs: INVITE and ACCEPT, and new keys later. `Links/Invitations.swift` and
/// `Links/Rekey.swift` show the course of both.
extension MeshNode {
    // MARK: Leader

    mutating func continueAsLeader(_ carrier: CarrierEntry, now: Instant) {
        switch decision(about: links[carrier.slot.index].node) {
        case .forbidden:
            let refusal = Refusal(.notAllowed, retryAfter: MeshLimits.refusalRetry)
            links.refuse(carrier, refusal, &effects)
            dismiss(carrier, refusal, now: now)
        case .undecided:
            links.refuse(carrier, Refusal(.undecided, retryAfter: MeshLimits.decisionRetry), &effects)
            askPerson(on: carrier, now: now)
        case .allowed:
            guard links.isBusy(beside: carrier) else {
                invite(on: carrier, now: now)
                return
            }
            effects.count(.alreadyLinked)
            links.refuse(carrier, Refusal(.alreadyLinked, retryAfter: MeshLimits.refusalRetryShort), &effects)
            links.closeQuietly(carrier.id, &effects)
            links.settleRenewal(after: carrier, retryAfter: MeshLimits.refusalRetryShort, now: now)
        }
    }

    mutating func invite(on carrier: CarrierEntry, now: Instant) {
        let index = carrier.slot.index
        guard let greeting = carrier.greeting, let keyID = links.makeKeyID(for: index, &effects) else { return }
        dropCandidate(index)
        let invite = links.openCandidate(inviting: greeting, on: carrier, keyID: keyID, localEnd, now: now)
        openCandidatePaths(greeting, carrier, now: now)
        effects.send(.invite(invite), on: carrier.id)
        links.beginNegotiation(on: carrier, &effects, now: now)
    }

    mutating func receiveAccept(_ accept: Accept, on carrier: CarrierEntry, now: Instant) {
        switch links.receiveAccept(accept, on: carrier, &effects, now: now) {
        case .isStale: break
        case .keysFailed: abandon(carrier, now: now)
        case .keysActive: probeCandidate(carrier.slot.index, now: now)
        }
    }

    // MARK: Follower

    mutating func continueAsFollower(_ carrier: CarrierEntry, now: Instant) {
        let isUndecided = decision(about: links[carrier.slot.index].node) == .undecided
        links.awaitInvite(on: carrier, isUndecided: isUndecided, &effects, now: now)
    }

    mutating func receiveInvite(_ invite: Invite, on carrier: CarrierEntry, now: Instant) {
        let index = carrier.slot.index
        guard let greeting = carrier.greeting, links.isAnswerable(invite, on: carrier),
            !membership.isGhost(greeting.instance, of: links[index].node)
        else {
            effects.count(.invitesStale)
            return
        }
        guard links.admitAgreement(of: index, &effects, now: now) else { return }
        switch decision(about: links[index].node) {
        case .allowed: answer(invite, of: greeting, on: carrier, now: now)
        case .forbidden:
            effects.send(.decline(.notAllowed), on: carrier.id)
            dismiss(carrier, Refusal(.notAllowed, retryAfter: MeshLimits.refusalRetry), now: now)
        case .undecided:
            effects.send(.decline(.undecided), on: carrier.id)
            askPerson(on: carrier, now: now)
        }
    }

    private mutating func answer(_ invite: Invite, of greeting: Greeting, on carrier: CarrierEntry, now: Instant) {
        let index = carrier.slot.index
        guard let keyID = links.makeKeyID(for: index, &effects) else { return }
        dropCandidate(index)
        let accept = links.openCandidate(
            accepting: invite, of: greeting, on: carrier, keyID: keyID, localEnd, &effects, now: now)
        guard let accept else { return abandon(carrier, now: now) }
        openCandidatePaths(greeting, carrier, now: now)
        effects.send(.accept(accept), on: carrier.id)
        links.beginNegotiation(on: carrier, &effects, now: now)
    }

    // MARK: Both

    private var localEnd: LocalEnd {
        LocalEnd(
            node: node, instance: membership.own.record.instance, bootNonce: configuration.bootNonce, sealing: sealing)
    }

    /// Opens the paths of a new candidate: the address of the carrier unless it is tunnelled, the carrier itself, and
    /// the proved paths of the session in use.
    private mutating func openCandidatePaths(_ greeting: Greeting, _ carrier: CarrierEntry, now: Instant) {
        let index = carrier.slot.index
        let direct = carrier.remote.map { Endpoint(address: $0.address, port: greeting.mediaPort, scope: $0.scope) }
        paths.openCandidate(of: index, direct: direct, &effects, now: now)
    }

    // MARK: Keys

    /// Offers new keys to the peer; closes the carrier if the peer has not answered `MeshLimits.rekeyOffersMax` offers
    /// in a row.
    mutating func rekey(_ index: Int, now: Instant) {
        if let carrier = links.carrierWithoutAnswer(index, now: now) {
            abandon(carrier, now: now)
        } else {
            links.rekey(index, &effects, now: now)
        }
    }

    /// Offers new keys if the present ones are near their end.
    mutating func rekeyWornOut(_ index: Int, now: Instant) {
        links.rekeyWornOut(index, datagramsPerKey: configuration.capacity.datagramsPerKey, &effects, now: now)
    }

    mutating func receiveKeyConfirm(_ generation: UInt32, on carrier: CarrierEntry, now: Instant) {
        let index = carrier.slot.index
        if links[index].candidate?.carrier == carrier.id, generation == MeshLimits.firstGeneration {
            activateCandidateKeys(index, now: now)
        } else if links[index].session?.carrier == carrier.id {
            links.activateGeneration(generation, of: index, &effects, now: now)
        }
    }

    /// Lets the follower seal with the first key generation: the leader has shown that it has the keys too.
    mutating func activateCandidateKeys(_ index: Int, now: Instant) {
        guard links.activateCandidateKeys(index, now: now) else { return }
        probeCandidate(index, now: now)
        links.waitForEcho(index, &effects, now: now)
    }
}
