import Primitives
import Trust

/// What the codes of channels know of one peer, until another peer takes its slot.
struct CodePeer: Sendable {
    /// An answer about a channel that this node does not have.
    struct BlindAnswer: Sendable {
        let task: ChannelTaskID
        let channelPointer: [UInt8]
        let run: UInt32
    }

    let node: NodeID
    var isLinked = true
    /// The nonces of the session in use, or of the last one.
    var nonces: [UInt8]
    /// One for each channel whose code this node has.
    var proofs: [ChannelProof] = []
    /// The number of the last run that this node has begun in the session, and that of the peer's last one.
    private var ownRun: UInt32 = 0
    private var peerRun: UInt32 = 0
    private(set) var blindAnswers: [BlindAnswer] = []
    private var starts: TokenBucket
    /// The tags of the proofs that count, as the mesh was told them.
    private(set) var tags: [ChannelTags]
    /// When the next proof has something to do.
    private(set) var dueAt = Instant.distantFuture

    /// - Parameter former: the peer that has had the slot.
    init(_ node: NodeID, nonces: [UInt8], inPlaceOf former: CodePeer?, now: Instant) {
        self.node = node
        self.nonces = nonces
        tags = former?.tags ?? []
        starts = TokenBucket(
            burst: ChannelCodeLimits.startsBurst, interval: ChannelCodeLimits.startInterval, now: now)
    }

    // MARK: Proofs

    /// Returns the tags of the peer if the mesh was told others.
    mutating func takeTagNews() -> [ChannelTags]? {
        guard !tags.elementsEqual(proofs.lazy.compactMap(\.tags)) else { return nil }
        tags = proofs.compactMap(\.tags)
        return tags
    }

    /// Computes `dueAt`.
    mutating func schedule() {
        dueAt = isLinked ? proofs.reduce(.distantFuture) { min($0, $1.dueAt) } : .distantFuture
    }

    func hasTask(_ task: ChannelTaskID) -> Bool {
        index(ofTask: task) != nil || blindAnswers.contains { $0.task == task }
    }

    func index(ofChannelPointer pointer: [UInt8]) -> Int? {
        proofs.firstIndex { $0.channelPointer == pointer }
    }
    func index(ofTask task: ChannelTaskID) -> Int? {
        proofs.firstIndex { proof in
            if case .runs(let step, _) = proof.course { step.task == task } else { false }
        }
    }

    /// - Parameter beginsAt: when a run is begun if the link is up.
    mutating func add(_ coded: CodedChannel, beginsAt: Instant, with sealing: any Sealing) {
        let channelPointer = coded.channelPointer(nonces: nonces, with: sealing)
        let course: ChannelProof.Course = isLinked ? .waits(until: beginsAt) : .rests
        proofs.append(ChannelProof(coded, channelPointer: channelPointer, course: course))
    }

    /// Another session is in use, or the same one again after its link was down. If the link went on from one session
    /// to another, each proof counts until it is repeated, for 15 s at most.
    mutating func beginSession(nonces: [UInt8], runsAt: Instant, with sealing: any Sealing, now: Instant) {
        defer { isLinked = true }
        guard nonces != self.nonces else {
            for index in proofs.indices { proofs[index].wake(beginsAt: runsAt) }
            return
        }
        self.nonces = nonces
        (ownRun, peerRun, blindAnswers) = (0, 0, [])
        for index in proofs.indices {
            let channelPointer = proofs[index].coded.channelPointer(nonces: nonces, with: sealing)
            proofs[index].beginSession(channelPointer: channelPointer, beginsAt: runsAt, goesOn: isLinked, now: now)
        }
    }

    /// The link is down. The session may be in use again later, so the tags stay.
    mutating func endSession(now: Instant) {
        isLinked = false
        for index in proofs.indices { proofs[index].rest(now: now) }
    }

    /// The exchange of a run that this node begins.
    func exchange(ofOwnRun run: UInt32, of coded: CodedChannel, with sealing: any Sealing) -> CodeExchange {
        coded.exchange(by: sealing.nodeID, with: node, nonces: nonces, run: run, sealing: sealing)
    }

    /// The exchange of a run that the peer has begun.
    func exchange(ofPeersRun run: UInt32, of coded: CodedChannel, with sealing: any Sealing) -> CodeExchange {
        coded.exchange(by: node, with: sealing.nodeID, nonces: nonces, run: run, sealing: sealing)
    }

    mutating func nextRun() -> UInt32 {
        ownRun += 1
        return ownRun
    }

    /// Whether a run that the peer begins may be answered. Its number must rise, and the peer must have allowance left,
    /// whether or not this node has the channel: a difference would show which channels it has.
    mutating func admitsStart(_ run: UInt32, now: Instant) -> Bool {
        guard peerRun < run, starts.take(now: now) else { return false }
        peerRun = run
        return true
    }

    /// Keeps an answer until its slow work is done. If there was no room, returns the oldest answer, which is then not
    /// sent.
    mutating func add(_ answer: BlindAnswer) -> BlindAnswer? {
        blindAnswers.append(answer)
        return ChannelCodeLimits.blindAnswersMax < blindAnswers.count ? blindAnswers.removeFirst() : nil
    }

    mutating func takeBlindAnswer(_ task: ChannelTaskID) -> BlindAnswer? {
        guard let index = blindAnswers.firstIndex(where: { $0.task == task }) else { return nil }
        return blindAnswers.remove(at: index)
    }
}
