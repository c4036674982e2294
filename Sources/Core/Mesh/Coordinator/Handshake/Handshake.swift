import Primitives
import Wire

/// The handshake after the HELLOs: INVITE and ACCEPT, and new keys later. `Links/Election.swift` and `Links/Rekey.swift`
/// show the course of both.
extension MeshNode {
    // MARK: Leader

    mutating func continueAsLeader(_ line: CarrierEntry, now: Instant) {
        switch invitation(for: links[line.slot.index].node) {
        case .forbidden:
            let refusal = Refusal(.notAllowed, retryAfter: MeshLimits.refusalRetry)
            links.refuse(line, refusal, &effects)
            dismiss(line, refusal, now: now)
        case .undecided:
            links.refuse(line, Refusal(.undecided, retryAfter: MeshLimits.decisionRetry), &effects)
            askPerson(on: line, now: now)
        case .allowed:
            guard links.isBusy(beside: line) else {
                invite(on: line, now: now)
                return
            }
            effects.count(.alreadyLinked)
            links.refuse(line, Refusal(.alreadyLinked, retryAfter: MeshLimits.refusalRetryShort), &effects)
            links.closeQuietly(line.id, &effects)
            links.settleRenewal(after: line, retryAfter: MeshLimits.refusalRetryShort, now: now)
        }
    }

    mutating func invite(on line: CarrierEntry, now: Instant) {
        let index = line.slot.index
        guard let greeting = line.greeting, let keyID = links.makeKeyID(for: index, &effects) else { return }
        dropCandidate(index)
        let invite = links.openCandidate(inviting: greeting, on: line, keyID: keyID, localEnd, now: now)
        openCandidatePaths(greeting, line, now: now)
        effects.send(.invite(invite), on: line.id)
        links.negotiate(on: line, &effects, now: now)
    }

    mutating func receiveAccept(_ accept: Accept, on line: CarrierEntry, now: Instant) {
        switch links.receiveAccept(accept, on: line, &effects, now: now) {
        case .isStale: break
        case .keysFailed: abandon(line, now: now)
        case .keysServe: probeCandidate(line.slot.index, now: now)
        }
    }

    // MARK: Follower

    mutating func continueAsFollower(_ line: CarrierEntry, now: Instant) {
        let isUndecided = invitation(for: links[line.slot.index].node) == .undecided
        links.awaitInvite(on: line, isUndecided: isUndecided, &effects, now: now)
    }

    mutating func receiveInvite(_ invite: Invite, on line: CarrierEntry, now: Instant) {
        let index = line.slot.index
        guard let greeting = line.greeting, links.isAnswerable(invite, on: line),
            !membership.isGhost(greeting.instance, of: links[index].node)
        else {
            effects.count(.invitesStale)
            return
        }
        guard links.admitAgreement(of: index, &effects, now: now) else { return }
        switch invitation(for: links[index].node) {
        case .allowed: answer(invite, of: greeting, on: line, now: now)
        case .forbidden:
            effects.send(.decline(.notAllowed), on: line.id)
            dismiss(line, Refusal(.notAllowed, retryAfter: MeshLimits.refusalRetry), now: now)
        case .undecided:
            effects.send(.decline(.undecided), on: line.id)
            askPerson(on: line, now: now)
        }
    }

    private mutating func answer(_ invite: Invite, of greeting: Greeting, on line: CarrierEntry, now: Instant) {
        let index = line.slot.index
        guard let keyID = links.makeKeyID(for: index, &effects) else { return }
        dropCandidate(index)
        let accept = links.openCandidate(
            accepting: invite, of: greeting, on: line, keyID: keyID, localEnd, &effects, now: now)
        guard let accept else { return abandon(line, now: now) }
        openCandidatePaths(greeting, line, now: now)
        effects.send(.accept(accept), on: line.id)
        links.negotiate(on: line, &effects, now: now)
    }

    // MARK: Both

    private var localEnd: LocalEnd {
        LocalEnd(
            node: node, instance: membership.own.record.instance, bootNonce: configuration.bootNonce, sealing: sealing)
    }

    /// Opens the paths of a new candidate: the address of the carrier, and the proved paths of the session in use.
    private mutating func openCandidatePaths(_ greeting: Greeting, _ line: CarrierEntry, now: Instant) {
        let index = line.slot.index
        let direct = line.remote.map { Endpoint(address: $0.address, port: greeting.mediaPort, scope: $0.scope) }
        paths.openCandidate(of: index, direct: direct, &effects, now: now)
    }

    // MARK: Keys

    /// Offers new keys if the present ones are near their end.
    mutating func rekeyWornOut(_ index: Int, now: Instant) {
        links.rekeyWornOut(index, datagramsPerKey: configuration.capacity.datagramsPerKey, &effects, now: now)
    }

    mutating func receiveKeyConfirm(_ generation: UInt32, on line: CarrierEntry, now: Instant) {
        let index = line.slot.index
        if links[index].candidate?.carrier == line.id, generation == MeshLimits.firstGeneration {
            serveCandidate(index, now: now)
        } else if links[index].session?.carrier == line.id {
            links.serveGeneration(generation, of: index, &effects, now: now)
        }
    }

    /// Starts sealing with the follower's first generation: the leader has shown that it has the keys.
    mutating func serveCandidate(_ index: Int, now: Instant) {
        guard links.serveCandidate(index, now: now) else { return }
        probeCandidate(index, now: now)
        links.waitForEcho(index, &effects, now: now)
    }
}
