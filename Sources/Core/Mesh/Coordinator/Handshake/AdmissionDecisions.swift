import Primitives
import Wire

/// What the configuration or a person decides about links with a peer. While the decision is open, the missing link
/// does not count as a failure of the peer.
extension MeshNode {
    /// Returns what the configuration, or the person, has decided about links with `peer`.
    func decision(about peer: NodeID) -> AdmissionDecision { configuration.admissionPolicy.decision(about: peer) }

    /// Whether this node neither dials the peer nor links with it: a person has blocked the peer, or it has left the
    /// mesh, or it leaves the mesh by an epoch that is not in use yet.
    func isBlocked(_ peer: NodeID) -> Bool { configuration.blocked.contains(peer) || hasLeftMesh(peer) }

    /// Whether this node wants a link with the peer: the peer is not blocked, and the policy or the person here has
    /// allowed it.
    func wants(_ peer: NodeID) -> Bool { !isBlocked(peer) && decision(about: peer) == .allowed }

    /// The number of nodes with which this node should be linked.
    func expectedCount(now: Instant) -> Int { membership.expectedCount(now: now) { wants($0) } }

    /// Uses another policy. Each session that the new policy does not allow ends, even one that sleeps: the peer is
    /// refused, or it waits until the person at this node has decided. So does the wait for a decision about a peer
    /// that the new policy forbids. A peer that only the new policy allows is let in at once.
    mutating func setAdmissionPolicy(_ policy: AdmissionPolicy, now: Instant) {
        let former = configuration.admissionPolicy
        configuration.admissionPolicy = policy
        membership.invalidateClique()
        for index in links.indices {
            let hasKeys = hasAgreement(index)
            switch decision(about: links[index].node) {
            case .forbidden where hasKeys || links[index].state.awaitsDecision:
                keepOut(index, Refusal(.notAllowed, retryAfter: MeshLimits.refusalRetry), now: now)
            case .undecided where hasKeys:
                keepOut(index, Refusal(.undecided, retryAfter: MeshLimits.decisionRetry), now: now)
                askPerson(about: index, now: now)
                links.awaitDecision(index, until: .distantFuture, &effects, now: now)
            case .allowed, .forbidden, .undecided: break
            }
        }
        for index in links.indices where former.decision(about: links[index].node) != .allowed {
            if wants(links[index].node) { letIn(index, now: now) }
        }
    }

    /// Asks the person at this node whether to accept the peer, and lets the carrier wait for the answer without a
    /// time limit.
    mutating func askPerson(on carrier: CarrierEntry, now: Instant) {
        askPerson(about: carrier.slot.index, now: now)
        awaitDecision(until: .distantFuture, on: carrier, now: now)
    }

    /// Asks once: the peer connects again and again while it waits.
    private mutating func askPerson(about index: Int, now: Instant) {
        let peer = links[index].node
        guard links.ask(about: index, &effects, now: now) else { return }
        effects.report(.admissionAsked(peer, name: membership.name(of: peer)))
    }

    /// Lets the link wait for a person's decision. `carrier` stays open, so that the answer can be sent on it. Carriers
    /// of earlier attempts are closed, so that they do not pile up.
    mutating func awaitDecision(until: Instant, on carrier: CarrierEntry, now: Instant) {
        let index = carrier.slot.index
        dropCandidate(index)
        cancelDialsAndCarriers(of: index) { $0.id == carrier.id }
        links.awaitDecision(index, until: until, &effects, now: now)
        // Ends an earlier suspicion of the peer: at its end, this node would declare the peer dead and close the
        // carrier.
        if detector[index].awaitDecision(&effects) { membership.setDead(false, links[index].node) }
    }

    mutating func decideAdmission(of peer: NodeID, isAccepted: Bool, now: Instant) {
        configuration.admissionPolicy.decide(about: peer, isAccepted: isAccepted)
        membership.invalidateClique()
        guard let index = links.index(of: peer) else { return }
        if isAccepted { return letIn(index, now: now) }
        links[index].endQuestion()
        guard links[index].state.awaitsDecision else { return }
        if let open = openCarrier(of: index) {
            let refusal = Refusal(.notAllowed, retryAfter: MeshLimits.refusalRetryMax)
            links.refuse(open, refusal, &effects)
            dismiss(open, refusal, now: now)
        }
        setState(index, .refused(dialAt: .distantFuture))
    }

    /// Starts to link at once with a peer that the person at this node, or a new policy, has just allowed. After an
    /// earlier refusal, the two nodes would otherwise try again only half a minute later, or more.
    private mutating func letIn(_ index: Int, now: Instant) {
        links[index].endQuestion()
        switch links[index].state {
        case .awaitingDecision:
            let open = openCarrier(of: index)
            if let open, links[index].isLeader { return invite(on: open, now: now) }
            // A follower cannot invite, so it closes the carrier and opens another one. The leader takes the new
            // carrier as a request to be invited.
            if let open { links.closeQuietly(open.id, &effects) }
        case .down:
            guard wants(links[index].node) else { return }
        case .connecting, .inviting, .awaitingInvite, .up, .verifying:
            return
        }
        reachability[index].want(now: now)
        setState(index, .scheduled(dialAt: now))
    }

    /// The open carrier on which the peer will send the decision of its person, while this node dials the peer again;
    /// nil if there is none. Perhaps only the peer can dial, so a failed dial of this node is then not counted as a
    /// failure.
    func undecidedCarrier(of index: Int) -> CarrierEntry? {
        guard case .connecting = links[index].state, links[index].lastFailure == .refused(.undecided),
            let carrier = openCarrier(of: index), carrier.id != links[index].session?.carrier
        else { return nil }
        return carrier
    }

    /// The newest carrier of the peer on which its HELLO has come.
    private func openCarrier(of index: Int) -> CarrierEntry? {
        links.carriers.entries(of: links[index].slot).last { $0.greeting != nil }
    }
}

/// Whether this node links with a peer.
enum AdmissionDecision {
    case allowed
    case undecided
    case forbidden
}

extension AdmissionPolicy {
    /// Returns the decision of this policy, or of the person, about links with `peer`.
    func decision(about peer: NodeID) -> AdmissionDecision {
        switch self {
        case .open: .allowed
        case .ask(let known, let denied):
            denied.contains(peer) ? .forbidden : known.contains(peer) ? .allowed : .undecided
        case .allowList(let allowed): allowed.contains(peer) ? .allowed : .forbidden
        }
    }

    /// Remembers the decision of a person about `peer`, if this policy asks people.
    mutating func decide(about peer: NodeID, isAccepted: Bool) {
        guard case .ask(var known, var denied) = self else { return }
        known.removeAll { $0 == peer }
        denied.removeAll { $0 == peer }
        if isAccepted, known.count < MeshLimits.admissionKnownMax { known.append(peer) }
        if !isAccepted, denied.count < MeshLimits.admissionKnownMax { denied.append(peer) }
        self = .ask(known: known, denied: denied)
    }
}
