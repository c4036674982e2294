import Primitives
import Trust
import Wire

/// "Please invite me": a follower that cannot reach its leader asks neighbours of both to say so.
extension MeshNode {
    mutating func knock(_ index: Int, now: Instant) {
        guard !peers[index].isLeader, !peers[index].state.isLinked, now < peers[index].soughtUntil,
            !isBlocked(peers[index].node)
        else {
            peers[index].knocks.end()
            return
        }
        peers[index].knocks.knocked(now: now)
        let leader = peers[index].node
        let neighbours = peers.indices.filter { neighbour in
            peers[neighbour].state.isLinked && peers[neighbour].session?.carrier != nil
                && peers[neighbour].row.contains { $0.peer == leader }
        }
        guard !neighbours.isEmpty else { return }
        knockSequence &+= 1
        let knock = SignedKnock(from: own.signed, to: leader, sequence: knockSequence, with: sealing)
        for neighbour in neighbours.prefix(MeshLimits.knockNeighboursMax) {
            if let carrier = peers[neighbour].session?.carrier { send(.knock(knock), on: carrier) }
        }
    }

    mutating func receiveKnock(_ knock: SignedKnock, on line: CarrierLine, from index: Int, now: Instant) {
        guard isOfLink(line, of: index) else { return counters.count(.framesUnexpected) }
        if knock.leader == node {
            heedKnock(knock, from: index, now: now)
        } else {
            forward(knock, from: index, now: now)
        }
    }

    /// Brought only by the knocker itself: a knock travels over one neighbour and no further.
    private mutating func forward(_ knock: SignedKnock, from index: Int, now: Instant) {
        guard sealing.nodeID(ofPublicKey: knock.record.publicKey) == peers[index].node,
            let leader = peers.index(of: knock.leader), peers[leader].state.isLinked,
            let carrier = peers[leader].session?.carrier
        else {
            counters.count(.knocksUndeliverable)
            return
        }
        guard peers[index].allowances.knocksForwarded.take(now: now), forwardedKnocks.take(now: now)
        else {
            counters.count(.knocksOverRate)
            return
        }
        counters.count(.knocksDelivered)
        send(.knock(knock), on: carrier)
    }

    private mutating func heedKnock(_ knock: SignedKnock, from neighbour: Int, now: Instant) {
        guard peers[neighbour].allowances.recordChecks.take(now: now), recordChecks.take(now: now) else {
            counters.count(.knocksOverRate)
            return
        }
        guard let record = try? knock.verified(with: sealing), record.node != node, !isBlocked(record.node) else {
            counters.count(.knocksForged)
            return
        }
        if isGhost(record.instance, of: record.node) {
            counters.count(.ghostKnocks)
            return
        }
        guard record.node < node else { return }
        guard roster.index(of: record.node) != nil || peers[neighbour].allowances.newIdentities.take(now: now) else {
            counters.count(.recordsNewOverLimit)
            return
        }
        guard let index = peerIndex(of: record.node, now: now) else { return }
        guard peers[index].knocks.isNew(instance: record.instance, sequence: knock.sequence) else {
            counters.count(.knocksReplayed)
            return
        }
        accept(record, knock.record, from: peers[neighbour].slot, isMet: false, now: now)
        peers[index].isLearnedByGossip = !peers[index].state.isLinked
        seekAtOnce(index, now: now)
    }
}
