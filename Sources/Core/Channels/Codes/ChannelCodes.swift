package import Primitives
package import Trust
import Wire

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
    /// By slot.
    private var peers: [CodePeer?] = []
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
        peers.reserveCapacity(MeshScale.peersMax)
    }

    // Mutating, because it runs after every input of the node: this value is read in place and not copied.
    package var hasOutputs: Bool { mutating get { !outputs.isEmpty } }
    package mutating func nextOutput() -> ChannelCodeOutput? { outputs.isEmpty ? nil : outputs.removeFirst() }

    package mutating func handle(_ input: ChannelCodeInput, now: Instant) {
        switch input {
        case .deadline: break
        case .sessionBegan(let slot, let node, let nonces): begin(slot, node, nonces: nonces, now: now)
        case .peerDown(let slot): end(slot)
        case .join(let join, let slot): receive(join, from: slot, now: now)
        case .worked(let task, let result): finish(task, result, now: now)
        case .hold(let coded, let isNews): hold(coded, isNews: isNews, now: now)
        case .drop(let channel):
            asked.removeAll { $0 == channel }
            drop(channel)
        }
        settle(now: now)
    }

    /// The linked peers that have proved the code of one of these channels.
    package func peers(knowing channels: [ChannelID]) -> [NodeID] {
        peers.compactMap { peer in
            guard let peer, peer.isLinked else { return nil }
            return peer.tags.contains { channels.contains($0.channel) } ? peer.node : nil
        }
    }

    /// Whether the proof of a peer for this channel's code counts now.
    package func hasProved(_ channel: ChannelID, _ slot: PeerSlot) -> Bool {
        guard slot.index < peers.count else { return false }
        return peers[slot.index]?.proofs.contains { $0.coded.channel == channel && $0.tags != nil } == true
    }

    // MARK: Codes of this node

    private mutating func hold(_ coded: CodedChannel, isNews: Bool, now: Instant) {
        asked.removeAll { $0 == coded.channel }
        if isNews { asked.append(coded.channel) }
        guard !held.contains(coded) else { return }
        drop(coded.channel)
        precondition(held.count < ChannelCodeLimits.heldMax, "\(held.count) channels with a code")
        held.append(coded)
        for slot in slots {
            guard var peer = self[slot] else { continue }
            peer.add(coded, beginsAt: now, with: sealing)
            self[slot] = peer
        }
    }

    private mutating func drop(_ channel: ChannelID) {
        held.removeAll { $0.channel == channel }
        guesses.forget(channel)
        for slot in slots { self[slot]?.proofs.removeAll { $0.coded.channel == channel } }
    }

    // MARK: Sessions

    private mutating func begin(_ slot: PeerSlot, _ node: NodeID, nonces: [UInt8], now: Instant) {
        let delay = node < sealing.nodeID ? ChannelCodeLimits.beginDelay : ChannelCodeLimits.secondBeginDelay
        guard var peer = self[slot], peer.node == node else {
            var peer = CodePeer(node, nonces: nonces, now: now)
            for coded in held { peer.add(coded, beginsAt: now + delay, with: sealing) }
            self[slot] = peer
            return
        }
        peer.beginSession(nonces: nonces, runsAt: now + delay, with: sealing, now: now)
        self[slot] = peer
    }

    private mutating func end(_ slot: PeerSlot) { self[slot]?.endSession() }

    // MARK: Peers

    var slots: [PeerSlot] { peers.indices.filter { peers[$0] != nil }.map { PeerSlot(index: $0) } }

    /// Setting tells the mesh the tags of the peer if they have changed.
    subscript(slot: PeerSlot) -> CodePeer? {
        get { slot.index < peers.count ? peers[slot.index] : nil }
        set {
            while peers.count <= slot.index { peers.append(nil) }
            let tags = newValue?.tags ?? []
            let isChange = tags != peers[slot.index]?.tags ?? []
            peers[slot.index] = newValue
            if isChange { outputs.append(.tags(tags, of: slot)) }
        }
    }

    // MARK: Time

    /// Does what is due, and computes the next deadline.
    private mutating func settle(now: Instant) {
        nextDeadline = .distantFuture
        for slot in slots where self[slot]?.isLinked == true {
            for index in self[slot]?.proofs.indices ?? 0..<0 { settle(index, of: slot, now: now) }
        }
        for channel in asked { answerPerson(about: channel) }
    }

    private mutating func settle(_ index: Int, of slot: PeerSlot, now: Instant) {
        guard var peer = self[slot] else { return }
        if let lapse = peer.proofs[index].lapse(now: now) {
            counters.count(lapse == .lost ? .channelProofsLost : .channelProofsFailed)
        }
        if peer.proofs[index].isDue(now: now) {
            let start = nextRun(peer.proofs[index], with: peer.node, now: now)
            if start <= now { beginRun(index, of: &peer, now: now) } else { peer.proofs[index].wait(until: start) }
        }
        nextDeadline = min(nextDeadline, peer.proofs[index].dueAt)
        self[slot] = peer
    }

    /// Tells a person that nobody here has the channel, once all linked peers have shown it.
    private mutating func answerPerson(about channel: ChannelID) {
        let standings = peers.compactMap { peer in
            peer?.isLinked == true ? peer?.proofs.first { $0.coded.channel == channel }?.standing : nil
        }
        let isHad = standings.contains { $0.tags != nil }
        let isRefuted = standings.allSatisfy { if case .hasNot = $0 { true } else { false } }
        guard isHad || (isRefuted && !standings.isEmpty) else { return }
        asked.removeAll { $0 == channel }
        if !isHad { tell(.nobodyHas(channel)) }
    }

    // MARK: Effects

    mutating func tell(_ event: ChannelCodeEvent) { outputs.append(.note(.event(event))) }

    mutating func send(_ step: JoinStep, _ hint: [UInt8], _ run: UInt32, to slot: PeerSlot) {
        outputs.append(.send(ChannelJoin(hint: hint, run: run, step: step), to: slot))
    }

    mutating func work(_ task: CodeTask) -> ChannelTaskID {
        taskCount += 1
        outputs.append(.note(.work(ChannelTaskID(number: taskCount), task)))
        return ChannelTaskID(number: taskCount)
    }
}
