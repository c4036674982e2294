import Primitives
import Trust
import Wire

/// The steps of the runs of JOIN. `ChannelProof` shows their course.
extension ChannelCodes {
    mutating func beginRun(_ index: Int, of peer: inout CodePeer, now: Instant) {
        let run = peer.nextRun()
        let exchange = peer.proofs[index].coded.exchange(
            by: sealing.nodeID, with: peer.node, nonces: peer.nonces, run: run, sealing: sealing)
        let task = work(.begin(exchange, uniform: uniform()))
        peer.proofs[index].enter(.begins(run, exchange, task), now: now)
    }

    // MARK: Guesses

    /// Returns when a run with the peer may begin: `now`, or later if the peer has no guess left.
    mutating func nextRun(_ proof: ChannelProof, with node: NodeID, now: Instant) -> Instant {
        proof.tags == nil ? guesses.next(node, proof.coded.channel, now: now) : now
    }

    /// Takes a guess of the peer, which a run with it gives it. While a proof of it counts, it has the code, and has
    /// nothing to guess. Returns false if it has no guess left.
    private mutating func takeGuess(_ proof: ChannelProof, of node: NodeID, now: Instant) -> Bool {
        proof.tags != nil || guesses.take(node, proof.coded.channel, now: now)
    }

    // MARK: Frames of the peer

    mutating func receive(_ join: ChannelJoin, from slot: PeerSlot, now: Instant) {
        guard let peer = self[slot], peer.isLinked else { return counters.count(.channelJoinsUnexpected) }
        if case .start(let share) = join.step { return answer(join, share, from: slot, now: now) }
        guard let index = peer.index(ofHint: join.hint) else { return counters.count(.channelJoinsUnexpected) }
        guard case .runs(let step, _) = peer.proofs[index].course else {
            return counters.count(.channelJoinsUnexpected)
        }
        switch (join.step, step) {
        case (.answer(let share, let tag), .waitsForAnswer(join.run, let exchange, let own)):
            guard takeGuess(peer.proofs[index], of: peer.node, now: now) else { return fail(index, of: slot, now: now) }
            let task = work(.confirm(exchange, own, peerShare: share, peerTag: tag))
            self[slot]?.proofs[index].enter(.confirms(join.run, task), now: now)
        case (.confirm(let tag), .waitsForConfirmation(join.run, let awaited, let key)):
            guard awaited.isEqualInConstantTime(to: tag) else { return fail(index, of: slot, now: now) }
            succeed(index, of: slot, key: key, isHeldByPeer: true, now: now)
        case (_, _): counters.count(.channelJoinsUnexpected)
        }
    }

    /// Answers a run of the peer. About a channel that this node does not have, or about which the peer has asked too
    /// often, the answer has a code drawn by lot: it looks like that of a node with another code.
    private mutating func answer(_ join: ChannelJoin, _ share: [UInt8], from slot: PeerSlot, now: Instant) {
        guard var peer = self[slot], peer.admitsStart(join.run, now: now) else {
            return counters.count(.channelJoinsUnexpected)
        }
        defer { self[slot] = peer }
        let index = peer.index(ofHint: join.hint)
        if let index, peer.node < sealing.nodeID, peer.proofs[index].awaitsAnswer {
            // Both have begun: the run of the greater id counts.
            return
        }
        let answered = index.flatMap { takeGuess(peer.proofs[$0], of: peer.node, now: now) ? $0 : nil }
        if index != nil, answered == nil { counters.count(.channelProofsOverRate) }
        let coded = answered.map { peer.proofs[$0].coded } ?? .drawn(with: sealing)
        let exchange = coded.exchange(
            by: peer.node, with: sealing.nodeID, nonces: peer.nonces, run: join.run, sealing: sealing)
        let task = work(.answer(exchange, uniform: uniform(), peerShare: share))
        if let answered {
            peer.proofs[answered].enter(.answers(join.run, task), now: now)
        } else {
            peer.add(CodePeer.BlindAnswer(task: task, hint: join.hint, run: join.run))
        }
    }

    // MARK: Results of slow work

    /// The result of a task whose run has ended meanwhile is dropped.
    mutating func finish(_ task: ChannelTaskID, _ result: CodeResult, now: Instant) {
        for slot in slots {
            guard var peer = self[slot] else { continue }
            if let index = peer.index(ofTask: task) { return finish(index, of: slot, result, now: now) }
            guard let blind = peer.takeBlindAnswer(task) else { continue }
            self[slot] = peer
            guard case .answered(let share, let tag, _, _) = result else { return }
            return send(.answer(share: share, tag: tag), blind.hint, blind.run, to: slot)
        }
    }

    private mutating func finish(_ index: Int, of slot: PeerSlot, _ result: CodeResult, now: Instant) {
        guard let proof = self[slot]?.proofs[index], case .runs(let step, _) = proof.course else { return }
        switch (step, result) {
        case (.begins(let run, let exchange, _), .begun(let own)):
            self[slot]?.proofs[index].enter(.waitsForAnswer(run, exchange, own), now: now)
            send(.start(share: own.element), proof.hint, run, to: slot)
        case (.answers(let run, _), .answered(let share, let tag, let awaited, let key)):
            self[slot]?.proofs[index].enter(.waitsForConfirmation(run, tag: awaited, key: key), now: now)
            send(.answer(share: share, tag: tag), proof.hint, run, to: slot)
        case (.confirms(let run, _), .confirmed(let tag, let key)):
            send(.confirm(tag: tag), proof.hint, run, to: slot)
            succeed(index, of: slot, key: key, isHeldByPeer: false, now: now)
        case (_, .failed): fail(index, of: slot, now: now)
        case (_, _): illegal("another result than that of the step", in: "the proof of a channel")
        }
    }

    private mutating func succeed(_ index: Int, of slot: PeerSlot, key: [UInt8], isHeldByPeer: Bool, now: Instant) {
        guard var peer = self[slot] else { return }
        counters.count(.channelProofs)
        let tag = CodedChannel.tag(of: key, with: sealing)
        let isFirst = peer.proofs[index].succeed(tag, isHeldByPeer: isHeldByPeer)
        self[slot] = peer
        guesses.forget(peer.node, peer.proofs[index].coded.channel)
        if isFirst { tell(.proved(peer.proofs[index].coded.channel, by: peer.node)) }
    }

    private mutating func fail(_ index: Int, of slot: PeerSlot, now: Instant) {
        counters.count(.channelProofsFailed)
        self[slot]?.proofs[index].fail(now: now)
    }

    private func uniform() -> [UInt8] { sealing.randomBytes(count: CodeSizes.uniformBytes) }
}

extension CodedChannel {
    /// Stands for a channel that this node does not have: no peer has its code.
    fileprivate static func drawn(with sealing: any Sealing) -> CodedChannel {
        CodedChannel(
            ChannelID(high: 0, low: 0, hasCode: true),
            codeKey: sealing.randomBytes(count: CodeSizes.codeKeyBytes))
    }
}
