import Primitives
import Wire

/// What the configuration or a person decides about links with a peer. While the decision is open, the missing link
/// does not count as a failure of the peer.
extension MeshNode {
    enum Invitation {
        case allowed
        case undecided
        case forbidden
    }

    /// Returns what the configuration, or the person, has decided about links with `peer`.
    func invitation(for peer: NodeID) -> Invitation {
        switch configuration.invitations {
        case .open: .allowed
        case .ask(let known):
            if let index = links.index(of: peer), links[index].refusedByPerson {
                .forbidden
            } else {
                known.contains(peer) ? .allowed : .undecided
            }
        case .allowList(let allowed): allowed.contains(peer) ? .allowed : .forbidden
        }
    }

    /// Whether this node links neither with the peer nor dials it: a person has blocked it, or it has left the mesh.
    func isBlocked(_ peer: NodeID) -> Bool { configuration.blocked.contains(peer) || hasLeftMesh(peer) }

    /// Asks the person at this node whether to accept the peer. Does not ask again while the link already waits for the
    /// decision. That wait has no time limit.
    mutating func askPerson(on carrier: CarrierEntry, now: Instant) {
        let index = carrier.slot.index
        let peer = links[index].node
        if !links[index].state.awaitsDecision {
            effects.report(.invitationAsked(peer, name: membership.name(of: peer)))
        }
        awaitDecision(until: .distantFuture, on: carrier, now: now)
    }

    /// Lets the link wait for a person's decision. `carrier` stays open, so that the answer can be sent on it. Carriers
    /// of earlier attempts are closed, so that they do not pile up.
    mutating func awaitDecision(until: Instant, on carrier: CarrierEntry, now: Instant) {
        let index = carrier.slot.index
        dropCandidate(index)
        cancelDialsAndCarriers(of: index) { $0.id == carrier.id }
        links.awaitDecision(index, until: until, &effects, now: now)
    }

    mutating func answerInvitation(_ peer: NodeID, isAccepted: Bool, now: Instant) {
        configuration.invitations.decide(about: peer, isAccepted: isAccepted)
        guard let index = links.index(of: peer) else { return }
        links[index].recordDecision(isAccepted: isAccepted)
        guard links[index].state.awaitsDecision else { return }
        let open = links.carriers.entries(of: links[index].slot).last { $0.greeting != nil }
        if !isAccepted {
            if let open {
                let refusal = Refusal(.notAllowed, retryAfter: MeshLimits.refusalRetryMax)
                links.refuse(open, refusal, &effects)
                dismiss(open, refusal, now: now)
            }
            setState(index, .refused(dialAt: .distantFuture))
        } else if let open, links[index].isLeader {
            invite(on: open, now: now)
        } else {
            // A follower cannot invite, so it closes the carrier and connects anew. The leader takes the new connection
            // as a request to be invited.
            if let open { links.closeQuietly(open.id, &effects) }
            reachability[index].want(now: now)
            setState(index, .scheduled(dialAt: now))
        }
    }
}

extension InvitationPolicy {
    /// Remembers the decision of a person about `peer`, if this policy asks people.
    mutating func decide(about peer: NodeID, isAccepted: Bool) {
        guard case .ask(var known) = self else { return }
        if isAccepted, !known.contains(peer), known.count < MeshLimits.invitationsKnownMax { known.append(peer) }
        if !isAccepted { known.removeAll { $0 == peer } }
        self = .ask(known: known)
    }
}
