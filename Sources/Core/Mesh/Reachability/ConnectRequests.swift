import Primitives
import Trust
import Wire

/// Connect requests: a follower that cannot reach its leader signs "please invite me", and common neighbours deliver
/// the request to the leader.
extension MeshNode {
    mutating func sendConnectRequest(_ index: Int, now: Instant) {
        guard !links[index].isLeader, !links[index].state.isLinked, now < reachability[index].wantedUntil,
            !isBlocked(links[index].node)
        else {
            reachability[index].connectRequests.end()
            return
        }
        reachability[index].connectRequests.requestSent(now: now)
        let leader = links[index].node
        let neighbours = links.indices.filter { neighbour in
            links[neighbour].state.isLinked && links[neighbour].session?.carrier != nil
                && membership[neighbour].links.contains { $0.peer == leader }
        }
        guard !neighbours.isEmpty else { return }
        reachability.connectRequestSequence &+= 1
        let connectRequest = SignedConnectRequest(
            from: membership.own.signed, to: leader, sequence: reachability.connectRequestSequence, with: sealing)
        for neighbour in neighbours.prefix(MeshLimits.connectRequestNeighboursMax) {
            if let carrier = links[neighbour].session?.carrier {
                effects.send(.connectRequest(connectRequest), on: carrier)
            }
        }
    }

    mutating func receiveConnectRequest(
        _ connectRequest: SignedConnectRequest, on line: CarrierEntry, from index: Int, now: Instant
    ) {
        guard isOfLink(line, of: index) else { return effects.count(.framesUnexpected) }
        if connectRequest.leader == node {
            handleConnectRequest(connectRequest, from: index, now: now)
        } else {
            forward(connectRequest, from: index, now: now)
        }
    }

    /// Forwards a connect request to its leader, if its signer itself sent it: a request travels over one neighbour
    /// only.
    private mutating func forward(_ connectRequest: SignedConnectRequest, from index: Int, now: Instant) {
        guard sealing.nodeID(ofPublicKey: connectRequest.record.publicKey) == links[index].node,
            let leader = links.index(of: connectRequest.leader), links[leader].state.isLinked,
            let carrier = links[leader].session?.carrier
        else {
            effects.count(.connectRequestsUndeliverable)
            return
        }
        guard reachability[index].connectRequestsForwarded.take(now: now),
            reachability.forwardedConnectRequests.take(now: now)
        else {
            effects.count(.connectRequestsOverRate)
            return
        }
        effects.count(.connectRequestsDelivered)
        effects.send(.connectRequest(connectRequest), on: carrier)
    }

    private mutating func handleConnectRequest(
        _ connectRequest: SignedConnectRequest, from neighbour: Int, now: Instant
    ) {
        guard membership[neighbour].recordChecks.take(now: now), membership.recordChecks.take(now: now) else {
            effects.count(.connectRequestsOverRate)
            return
        }
        guard let record = try? connectRequest.verified(with: sealing), record.node != node, !isBlocked(record.node)
        else {
            effects.count(.connectRequestsForged)
            return
        }
        if isGhost(record.instance, of: record.node) {
            effects.count(.ghostConnectRequests)
            return
        }
        guard record.node < node else { return }
        guard membership.roster.index(of: record.node) != nil || membership[neighbour].newIdentities.take(now: now)
        else {
            effects.count(.recordsNewOverLimit)
            return
        }
        guard let index = peerIndex(of: record.node, now: now) else { return }
        guard reachability[index].connectRequests.isNew(instance: record.instance, sequence: connectRequest.sequence)
        else {
            effects.count(.connectRequestsReplayed)
            return
        }
        accept(record, connectRequest.record, from: links[neighbour].slot, isFromSubject: false, now: now)
        reachability[index].isLearnedByGossip = !links[index].state.isLinked
        connectAtOnce(index, now: now)
    }
}
