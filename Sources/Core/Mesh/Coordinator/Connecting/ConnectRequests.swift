import Primitives
import Trust
import Wire

/// Connect requests: only the leader of two nodes can invite. A follower whose own attempt has failed, or whose link
/// was lost, signs the request "please invite me", and common neighbours deliver it to the leader.
extension MeshNode {
    mutating func sendConnectRequest(_ index: Int, now: Instant) {
        guard !links[index].isLeader, !links[index].state.isLinked, reachability[index].isWanted(now: now),
            !isBlocked(links[index].node)
        else {
            reachability[index].endConnectRequests()
            return
        }
        let leader = links[index].node
        let carriers = carriersToNeighbours(of: leader)
        // Each request goes to the next neighbours in the list. So two neighbours that deliver nothing do not get all
        // requests.
        let first = reachability[index].connectRequests.count * MeshLimits.connectRequestNeighboursMax
        reachability[index].connectRequestSent(neighbours: carriers.count, now: now)
        guard !carriers.isEmpty else { return }
        let connectRequest = SignedConnectRequest(
            from: membership.own.signed, to: leader, sequence: reachability.nextConnectRequestSequence(), with: sealing)
        for place in 0..<min(carriers.count, MeshLimits.connectRequestNeighboursMax) {
            effects.send(.connectRequest(connectRequest), on: carriers[(first + place) % carriers.count])
        }
    }

    /// Shortens this node's wait before its next connect request to the leader at `index`, if the number of neighbours
    /// that advertise a link to that leader exceeds its maximum so far. The maximum starts at 0 when this node begins
    /// to send these requests.
    mutating func hastenConnectRequest(_ index: Int, now: Instant) {
        guard reachability[index].connectRequests.nextAt != .distantFuture else { return }
        let neighbours = carriersToNeighbours(of: links[index].node).count
        if reachability[index].neighboursFound(neighbours, now: now) { effects.invalidateDeadlines() }
    }

    /// Returns the carriers to the linked peers that advertise a link to `leader`.
    private func carriersToNeighbours(of leader: NodeID) -> [CarrierID] {
        links.indices.compactMap { neighbour in
            guard links[neighbour].state.isLinked, let carrier = links[neighbour].session?.carrier,
                membership[neighbour].links[leader] != nil
            else { return nil }
            return carrier
        }
    }

    mutating func receiveConnectRequest(_ connectRequest: SignedConnectRequest, on carrier: CarrierEntry, now: Instant)
    {
        let index = carrier.slot.index
        guard links[index].role(of: carrier.id) != nil else { return effects.count(.framesUnexpected) }
        if connectRequest.leader == node {
            handleConnectRequest(connectRequest, from: index, now: now)
        } else {
            forward(connectRequest, from: index, now: now)
        }
    }

    /// Forwards a connect request to the leader that it names, if the follower's record in it is that of the neighbour
    /// that sent it: a request travels over one neighbour only. The request costs the leader one of the unknown nodes
    /// that it takes from this node, so a neighbour of which this node does not tell yet has to wait.
    private mutating func forward(_ connectRequest: SignedConnectRequest, from index: Int, now: Instant) {
        guard membership.roster[links[index].node]?.isTold == true,
            sealing.nodeID(ofPublicKey: connectRequest.record.publicKey) == links[index].node,
            let leader = links.index(of: connectRequest.leader), links[leader].state.isLinked,
            let carrier = links[leader].session?.carrier
        else {
            effects.count(.connectRequestsUndeliverable)
            return
        }
        guard reachability.forwardsConnectRequest(of: index, &effects, now: now) else { return }
        effects.count(.connectRequestsDelivered)
        effects.send(.connectRequest(connectRequest), on: carrier)
    }

    private mutating func handleConnectRequest(
        _ connectRequest: SignedConnectRequest, from neighbour: Int, now: Instant
    ) {
        guard let subject = sealing.nodeID(ofPublicKey: connectRequest.record.publicKey) else {
            effects.count(.connectRequestsForged)
            return
        }
        guard membership.mayBeAdmitted(subject, from: neighbour, now: now) else {
            effects.count(.recordsNewOverLimit)
            return
        }
        guard membership.admitsRecordCheck(of: neighbour, now: now) else {
            effects.count(.connectRequestsOverRate)
            return
        }
        guard let record = try? connectRequest.verified(with: sealing), record.node != node, !isBlocked(record.node)
        else {
            effects.count(.connectRequestsForged)
            return
        }
        if membership.isGhost(record.instance, of: record.node) {
            effects.count(.ghostConnectRequests)
            return
        }
        guard record.node < node else { return }
        guard membership.admitsIdentity(of: record.node, from: neighbour, &effects, now: now) else { return }
        guard let index = peerIndex(of: record.node) else { return }
        guard
            reachability[index].isNewConnectRequest(
                instance: record.instance, sequence: connectRequest.sequence, &effects)
        else { return }
        acceptRecord(record, connectRequest.record, from: links[neighbour].slot, isFromSubject: false, now: now)
        reachability[index].learnByGossip(isLinked: links[index].state.isLinked)
        connectAtOnce(index, now: now)
    }
}
