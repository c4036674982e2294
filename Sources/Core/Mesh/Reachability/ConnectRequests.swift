import Primitives
import Trust
import Wire

/// Connect requests: a follower that cannot reach its leader signs "please invite me", and common neighbours deliver
/// the request to the leader.
extension MeshNode {
    mutating func sendConnectRequest(_ index: Int, now: Instant) {
        guard !peers[index].isLeader, !peers[index].state.isLinked, now < reachability[index].wantedUntil,
            !isBlocked(peers[index].node)
        else {
            reachability[index].connectRequests.end()
            return
        }
        reachability[index].connectRequests.requestSent(now: now)
        let leader = peers[index].node
        let neighbours = peers.indices.filter { neighbour in
            peers[neighbour].state.isLinked && peers[neighbour].session?.carrier != nil
                && membership[neighbour].links.contains { $0.peer == leader }
        }
        guard !neighbours.isEmpty else { return }
        reachability.connectRequestSequence &+= 1
        let connectRequest = SignedConnectRequest(
            from: membership.own.signed, to: leader, sequence: reachability.connectRequestSequence, with: sealing)
        for neighbour in neighbours.prefix(MeshLimits.connectRequestNeighboursMax) {
            if let carrier = peers[neighbour].session?.carrier { send(.connectRequest(connectRequest), on: carrier) }
        }
    }

    mutating func receiveConnectRequest(
        _ connectRequest: SignedConnectRequest, on line: CarrierEntry, from index: Int, now: Instant
    ) {
        guard isOfLink(line, of: index) else { return counters.count(.framesUnexpected) }
        if connectRequest.leader == node {
            handleConnectRequest(connectRequest, from: index, now: now)
        } else {
            forward(connectRequest, from: index, now: now)
        }
    }

    /// Forwards a connect request to its leader, if its signer itself sent it: a request travels over one neighbour
    /// only.
    private mutating func forward(_ connectRequest: SignedConnectRequest, from index: Int, now: Instant) {
        guard sealing.nodeID(ofPublicKey: connectRequest.record.publicKey) == peers[index].node,
            let leader = peers.index(of: connectRequest.leader), peers[leader].state.isLinked,
            let carrier = peers[leader].session?.carrier
        else {
            counters.count(.connectRequestsUndeliverable)
            return
        }
        guard reachability[index].connectRequestsForwarded.take(now: now),
            reachability.forwardedConnectRequests.take(now: now)
        else {
            counters.count(.connectRequestsOverRate)
            return
        }
        counters.count(.connectRequestsDelivered)
        send(.connectRequest(connectRequest), on: carrier)
    }

    private mutating func handleConnectRequest(
        _ connectRequest: SignedConnectRequest, from neighbour: Int, now: Instant
    ) {
        guard membership[neighbour].recordChecks.take(now: now), membership.recordChecks.take(now: now) else {
            counters.count(.connectRequestsOverRate)
            return
        }
        guard let record = try? connectRequest.verified(with: sealing), record.node != node, !isBlocked(record.node)
        else {
            counters.count(.connectRequestsForged)
            return
        }
        if isGhost(record.instance, of: record.node) {
            counters.count(.ghostConnectRequests)
            return
        }
        guard record.node < node else { return }
        guard membership.roster.index(of: record.node) != nil || membership[neighbour].newIdentities.take(now: now)
        else {
            counters.count(.recordsNewOverLimit)
            return
        }
        guard let index = peerIndex(of: record.node, now: now) else { return }
        guard reachability[index].connectRequests.isNew(instance: record.instance, sequence: connectRequest.sequence)
        else {
            counters.count(.connectRequestsReplayed)
            return
        }
        accept(record, connectRequest.record, from: peers[neighbour].slot, isFromSubject: false, now: now)
        reachability[index].isLearnedByGossip = !peers[index].state.isLinked
        connectAtOnce(index, now: now)
    }
}
