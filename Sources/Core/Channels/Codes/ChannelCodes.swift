package import Primitives
package import Trust
package import Wire

/// The channels with a code that this node holds, and the proofs of their codes with each neighbour (docs/WIRE.md,
/// "Channels with a code").
///
/// A machine beside the mesh. `VoiceNode` calls `handle`, then takes `nextOutput()` until nil, and calls again at
/// `nextDeadline`. Each pair proves each code for itself: nobody vouches for another.
///
///     session, code of a person ──► ChannelProof ─ JOIN ─► the peer's ──► both have one tag ──► the mesh names the
///                                        ▲        slow work  │            channel by it in lists and calls
///                                        └─── not the code ──┘──► event: nobody here has it
///
package struct ChannelCodes {
    let sealing: any Sealing
    /// The channels whose code this node has.
    package private(set) var held: [CodedChannel] = []
    package internal(set) var counters = Counters<ChannelCodeCounter>()
    /// By slot. They are changed in place, because a copy of a peer copies all its proofs.
    var peers = [CodePeer?](repeating: nil, count: MeshScale.peersMax)
    /// Channels of which a person wants to know whether anybody else has them.
    private var asked: [ChannelID] = []
    var guesses = ChannelGuesses()
    private var taskCount: UInt64 = 0
    private var outputs: [ChannelCodeOutput] = []
    package private(set) var nextDeadline: Instant = .distantFuture

    /// - Parameter held: the channels whose code this node has at its start.
    package init(_ held: [CodedChannel] = [], sealing: any Sealing) {
        precondition(held.count <= ChannelCodeLimits.heldMax, "\(held.count) channels with a code")
        self.held = held
        self.sealing = sealing
    }

    // Mutating, because it runs after every input of the node: this value is read in place and not copied.
    package var hasOutputs: Bool { mutating get { !outputs.isEmpty } }
    package mutating func nextOutput() -> ChannelCodeOutput? { outputs.isEmpty ? nil : outputs.removeFirst() }

    /// A frame of a peer settles the proofs of that peer alone: one for each channel with a code that this node holds.
    package mutating func handle(_ input: ChannelCodeInput, now: Instant) {
        switch input {
        case .deadline:
            for index in peers.indices where peers[index]?.dueAt ?? .distantFuture <= now { settle(index, now: now) }
        case .sessionBegan(let slot, let node, let nonces):
            begin(slot.index, node, nonces: nonces, now: now)
            settle(slot.index, now: now)
        case .peerDown(let slot):
            peers[slot.index]?.endSession(now: now)
            settle(slot.index, now: now)
        case .join(let join, let slot):
            receive(join, from: slot.index, now: now)
            settle(slot.index, now: now)
        case .worked(let task, let result):
            guard let index = peers.firstIndex(where: { $0?.hasTask(task) == true }) else { break }
            finish(task, result, of: index, now: now)
            settle(index, now: now)
        case .hold(let coded, let isNews):
            hold(coded, isNews: isNews, now: now)
            for index in peers.indices { settle(index, now: now) }
        case .drop(let channel):
            asked.removeAll { $0 == channel }
            drop(channel)
            for index in peers.indices { settle(index, now: now) }
        }
        nextDeadline = peers.reduce(.distantFuture) { min($0, $1?.dueAt ?? .distantFuture) }
        for channel in asked { answerPerson(about: channel) }
    }

    /// The linked peers that have proved the code of one of these channels.
    package func peers(knowing channels: [ChannelID]) -> [NodeID] {
        peers.compactMap { peer in
            guard let peer, peer.isLinked else { return nil }
            return peer.tags.contains { channels.contains($0.channel) } ? peer.node : nil
        }
    }

    /// The linked peers that have not shown yet whether they have the code of this channel.
    package func peers(undecidedAbout channel: ChannelID) -> [NodeID] {
        peers.compactMap { peer in
            guard let peer, peer.isLinked, let proof = peer.proofs.first(where: { $0.coded.channel == channel }),
                case .open = proof.evidence
            else { return nil }
            return peer.node
        }
    }

    /// Whether the proof of a peer for this channel's code counts now.
    package func hasProved(_ channel: ChannelID, _ slot: PeerSlot) -> Bool {
        peers[slot.index]?.proofs.contains { $0.coded.channel == channel && $0.tags != nil } == true
    }

    // MARK: Codes of this node

    private mutating func hold(_ coded: CodedChannel, isNews: Bool, now: Instant) {
        asked.removeAll { $0 == coded.channel }
        if isNews { asked.append(coded.channel) }
        guard !held.contains(coded) else { return }
        drop(coded.channel)
        precondition(held.count < ChannelCodeLimits.heldMax, "\(held.count) channels with a code")
        held.append(coded)
        for index in peers.indices { peers[index]?.add(coded, beginsAt: now, with: sealing) }
    }

    private mutating func drop(_ channel: ChannelID) {
        held.removeAll { $0.channel == channel }
        guesses.forget(channel)
        for index in peers.indices { peers[index]?.proofs.removeAll { $0.coded.channel == channel } }
    }

    // MARK: Sessions

    private mutating func begin(_ index: Int, _ node: NodeID, nonces: [UInt8], now: Instant) {
        let delay = node < sealing.nodeID ? ChannelCodeLimits.beginDelay : ChannelCodeLimits.secondBeginDelay
        if peers[index]?.node == node {
            peers[index]?.beginSession(nonces: nonces, runsAt: now + delay, with: sealing, now: now)
        } else {
            var peer = CodePeer(node, nonces: nonces, inPlaceOf: peers[index], now: now)
            for coded in held { peer.add(coded, beginsAt: now + delay, with: sealing) }
            peers[index] = peer
        }
    }

    // MARK: Time

    /// Does what is due with a peer, and tells the mesh its tags if they have changed.
    private mutating func settle(_ index: Int, now: Instant) {
        guard let proofs = peers[index]?.proofs.indices else { return }
        if peers[index]?.isLinked == true {
            for proof in proofs { settle(proof, of: index, now: now) }
        }
        if let tags = peers[index]?.takeTagNews() { outputs.append(.tags(tags, of: PeerSlot(index: index))) }
        peers[index]?.schedule()
    }

    private mutating func settle(_ index: Int, of peer: Int, now: Instant) {
        if let lapse = peers[peer]?.proofs[index].lapse(now: now) {
            counters.count(lapse == .lost ? .channelProofsLost : .channelProofsFailed)
        }
        guard peers[peer]?.proofs[index].isDue(now: now) == true else { return }
        let start = nextRun(index, with: peer, now: now)
        if start <= now { beginRun(index, with: peer, now: now) } else { peers[peer]?.proofs[index].wait(until: start) }
    }

    /// Tells a person that no linked peer has the channel, once each linked peer has failed to show its code. Once a
    /// peer has shown the code, the question is over.
    private mutating func answerPerson(about channel: ChannelID) {
        let evidence = peers.compactMap { peer in
            peer?.isLinked == true ? peer?.proofs.first { $0.coded.channel == channel }?.evidence : nil
        }
        let isHad = evidence.contains { $0.tags != nil }
        let isRefuted = evidence.allSatisfy { if case .hasNot = $0 { true } else { false } }
        guard isHad || (isRefuted && !evidence.isEmpty) else { return }
        asked.removeAll { $0 == channel }
        if !isHad { tell(.nobodyHas(channel)) }
    }

    // MARK: Effects

    mutating func tell(_ event: ChannelCodeEvent) { outputs.append(.note(.event(event))) }

    mutating func send(_ step: JoinStep, _ channelPointer: [UInt8], _ run: UInt32, to index: Int) {
        outputs.append(
            .send(ChannelJoin(channelPointer: channelPointer, run: run, step: step), to: PeerSlot(index: index)))
    }

    mutating func work(_ task: CodeTask) -> ChannelTaskID {
        taskCount += 1
        outputs.append(.note(.work(ChannelTaskID(number: taskCount), task)))
        return ChannelTaskID(number: taskCount)
    }
}

/// The number of a slow task of `ChannelCodes`; unique while the node runs.
package struct ChannelTaskID: Hashable, Sendable {
    package let number: UInt64
    package init(number: UInt64) { self.number = number }
}

/// Everything that can happen to the codes of channels; `ChannelCodes.handle` is its entrance.
package enum ChannelCodeInput: Sendable {
    /// Nothing happened except that time passed.
    case deadline
    /// A session with a linked neighbour is in use from now on.
    case sessionBegan(PeerSlot, NodeID, nonces: [UInt8])
    case peerDown(PeerSlot)
    case join(ChannelJoin, from: PeerSlot)
    /// The shell has run a task.
    case worked(ChannelTaskID, CodeResult)
    /// This node has the code of a channel from now on, in place of an earlier code. `isNews`: a person wants to
    /// be told whether a linked peer has the channel with this code.
    case hold(CodedChannel, isNews: Bool)
    case drop(ChannelID)
}

/// Everything that the codes of channels want done.
package enum ChannelCodeOutput: Sendable {
    case send(ChannelJoin, to: PeerSlot)
    /// All tags that this node shares with a peer now.
    case tags([ChannelTags], of: PeerSlot)
    case note(ChannelCodeNote)
}

/// What the codes of channels tell the shell.
package enum ChannelCodeNote: Sendable {
    /// Slow work, which the shell does on another thread. Its result is an input.
    case work(ChannelTaskID, CodeTask)
    case event(ChannelCodeEvent)
}

/// What a person is told of the code of a channel.
package enum ChannelCodeEvent: Hashable, Sendable {
    /// The peer has the channel, with the same code.
    case proved(ChannelID, by: NodeID)
    /// No linked peer has the channel with this code.
    case nobodyHas(ChannelID)
}

/// Everything that the codes of channels count.
package enum ChannelCodeCounter: Int, CaseIterable, Sendable {
    case channelProofs
    /// Runs in which the codes differed, or the peer did not have the channel, or did not confirm, or had no guess left
    /// for its answer, or its share was no element of the group.
    case channelProofsFailed
    /// Runs that ended because a step was lost.
    case channelProofsLost
    /// Runs of a peer that has no guess left: they are answered as if the channel were unknown.
    case channelProofsOverRate
    /// Steps that do not belong to a run, or are above the allowance of the peer, and answers that had no room.
    case channelJoinsUnexpected
    /// Runs of a peer that this node did not answer, because both had begun one at the same time and that of this node
    /// counts.
    case channelJoinsCrossed
}
