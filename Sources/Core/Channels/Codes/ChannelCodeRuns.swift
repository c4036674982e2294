import Primitives
import Trust
import Wire

/// The steps of the runs of JOIN. `ChannelProof` shows their course. A peer is named by its slot's index.
extension ChannelCodes {
    mutating func beginRun(_ index: Int, with peer: Int, now: Instant) {
        guard let coded = peers[peer]?.proofs[index].coded, let run = peers[peer]?.nextRun(),
            let exchange = peers[peer]?.exchange(ofOwnRun: run, of: coded, with: sealing)
        else { return }
        let task = work(.begin(exchange, uniform: uniform()))
        peers[peer]?.proofs[index].enter(.begins(run, exchange, task), now: now)
    }

    // MARK: Guesses

    /// Returns when a run with the peer may begin: `now`, or later if the peer has no guess left.
    mutating func nextRun(_ index: Int, with peer: Int, now: Instant) -> Instant {
        guard let node = peers[peer]?.node, let proof = peers[peer]?.proofs[index], proof.tags == nil else {
            return now
        }
        return guesses.next(node, proof.coded.channel, now: now)
    }

    /// Takes the guess that a run gives the peer. While a proof of the peer counts, the peer has the code and needs no
    /// guess. Returns false if the peer has no guess left.
    private mutating func takeGuess(_ index: Int, of peer: Int, now: Instant) -> Bool {
        guard let node = peers[peer]?.node, let proof = peers[peer]?.proofs[index], proof.tags == nil else {
            return true
        }
        return guesses.take(node, proof.coded.channel, now: now)
    }

    // MARK: Frames of the peer

    mutating func receive(_ join: ChannelJoin, from peer: Int, now: Instant) {
        guard peers[peer]?.isLinked == true else { return counters.count(.channelJoinsUnexpected) }
        if case .start(let share) = join.step { return answer(join, share, from: peer, now: now) }
        guard let index = peers[peer]?.index(ofChannelPointer: join.channelPointer),
            case .runs(let step, _)? = peers[peer]?.proofs[index].course
        else { return counters.count(.channelJoinsUnexpected) }
        switch (join.step, step) {
        case (.answer(let share, let tag), .waitsForAnswer(join.run, let exchange, let own)):
            guard takeGuess(index, of: peer, now: now) else { return fail(index, of: peer, now: now) }
            let task = work(.confirm(exchange, own, peerShare: share, peerTag: tag))
            peers[peer]?.proofs[index].enter(.confirms(join.run, task), now: now)
        case (.confirm(let tag), .waitsForConfirmation(join.run, let awaited, let key)):
            guard awaited.isEqualInConstantTime(to: tag) else { return fail(index, of: peer, now: now) }
            succeed(index, of: peer, key: key, isHeldByPeer: true)
        case (_, _): counters.count(.channelJoinsUnexpected)
        }
    }

    /// Answers a run of the peer. If this node does not have the channel, or the peer has asked about it too often, the
    /// answer is made with a random code. So it looks like the answer of a node with another code.
    private mutating func answer(_ join: ChannelJoin, _ share: [UInt8], from peer: Int, now: Instant) {
        guard peers[peer]?.admitsStart(join.run, now: now) == true, let node = peers[peer]?.node else {
            return counters.count(.channelJoinsUnexpected)
        }
        let index = peers[peer]?.index(ofChannelPointer: join.channelPointer)
        if let index, node < sealing.nodeID, peers[peer]?.proofs[index].awaitsAnswer == true {
            // Both have begun: the run of the node with the greater NodeID counts.
            return counters.count(.channelJoinsCrossed)
        }
        var answered: Int?
        if let index {
            if takeGuess(index, of: peer, now: now) {
                answered = index
            } else {
                counters.count(.channelProofsOverRate)
                // This run fails. The peer waits for `failedWait` too before it begins another: both sides have a guess
                // then.
                peers[peer]?.proofs[index].wait(until: now + ChannelCodeLimits.failedWait)
            }
        }
        let coded = answered.flatMap { peers[peer]?.proofs[$0].coded } ?? .drawn(with: sealing)
        guard let exchange = peers[peer]?.exchange(ofPeersRun: join.run, of: coded, with: sealing) else { return }
        let task = work(.answer(exchange, uniform: uniform(), peerShare: share))
        if let answered {
            peers[peer]?.proofs[answered].enter(.answers(join.run, task), now: now)
        } else {
            let blind = CodePeer.BlindAnswer(task: task, channelPointer: join.channelPointer, run: join.run)
            if peers[peer]?.add(blind) != nil { counters.count(.channelJoinsUnexpected) }
        }
    }

    // MARK: Results of slow work

    /// Takes the result of a task whose run goes on.
    mutating func finish(_ task: ChannelTaskID, _ result: CodeResult, of peer: Int, now: Instant) {
        if let blind = peers[peer]?.takeBlindAnswer(task) {
            // The share of the peer is no element.
            guard case .answered(let share, let tag, _, _) = result else { return counters.count(.channelProofsFailed) }
            return send(.answer(share: share, tag: tag), blind.channelPointer, blind.run, to: peer)
        }
        guard let index = peers[peer]?.index(ofTask: task), let proof = peers[peer]?.proofs[index],
            case .runs(let step, _) = proof.course
        else { return }
        switch (step, result) {
        case (.begins(let run, let exchange, _), .begun(let own)):
            peers[peer]?.proofs[index].enter(.waitsForAnswer(run, exchange, own), now: now)
            send(.start(share: own.element), proof.channelPointer, run, to: peer)
        case (.answers(let run, _), .answered(let share, let tag, let awaited, let key)):
            peers[peer]?.proofs[index].enter(.waitsForConfirmation(run, tag: awaited, key: key), now: now)
            send(.answer(share: share, tag: tag), proof.channelPointer, run, to: peer)
        case (.confirms(let run, _), .confirmed(let tag, let key)):
            send(.confirm(tag: tag), proof.channelPointer, run, to: peer)
            succeed(index, of: peer, key: key, isHeldByPeer: false)
        case (_, .failed): fail(index, of: peer, now: now)
        case (_, _): illegal("another result than that of the step", in: "the proof of a channel")
        }
    }

    private mutating func succeed(_ index: Int, of peer: Int, key: [UInt8], isHeldByPeer: Bool) {
        counters.count(.channelProofs)
        let tag = CodedChannel.tag(of: key, with: sealing)
        guard let node = peers[peer]?.node, let channel = peers[peer]?.proofs[index].coded.channel else { return }
        guesses.forget(node, channel)
        if peers[peer]?.proofs[index].succeed(tag, isHeldByPeer: isHeldByPeer) == true {
            tell(.proved(channel, by: node))
        }
    }

    private mutating func fail(_ index: Int, of peer: Int, now: Instant) {
        counters.count(.channelProofsFailed)
        peers[peer]?.proofs[index].fail(now: now)
    }

    private func uniform() -> [UInt8] { sealing.randomBytes(count: CodeSizes.uniformBytes) }
}

extension CodedChannel {
    /// Stands for a channel that this node does not have, or about which the peer has no guess left. Its code is
    /// random.
    fileprivate static func drawn(with sealing: any Sealing) -> CodedChannel {
        CodedChannel(
            ChannelID(high: 0, low: 0, hasCode: true),
            codeKey: sealing.randomBytes(count: CodeSizes.codeKeyBytes))
    }
}
