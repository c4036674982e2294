import Primitives
import Trust

/// How far this node and one peer are with the proof of one channel's code.
///
///     idle ─ begin ─► begins ─ START ─► waitsForAnswer ─ ANSWER ─► confirms ─ CONFIRM ─► proved, idle
///       └─── START ─► answers ─ ANSWER ─► waitsForConfirmation ─ CONFIRM ─► proved, idle
///
/// A proof is made anew in each session. Until then that of the session before counts, so that no word is lost.
struct ChannelProof: Sendable {
    enum Run: Sendable {
        case idle
        case begins(UInt32, CodeExchange, ChannelTaskID)
        case waitsForAnswer(UInt32, CodeExchange, CodeShare)
        case confirms(UInt32, ChannelTaskID)
        case answers(UInt32, ChannelTaskID)
        case waitsForConfirmation(UInt32, tag: [UInt8], key: [UInt8])

        var isIdle: Bool { if case .idle = self { true } else { false } }

        /// Whether this node has begun the run.
        var isOwn: Bool {
            switch self {
            case .begins, .waitsForAnswer, .confirms: true
            case .idle, .answers, .waitsForConfirmation: false
            }
        }

        var task: ChannelTaskID? {
            switch self {
            case .begins(_, _, let task), .confirms(_, let task), .answers(_, let task): task
            case .idle, .waitsForAnswer, .waitsForConfirmation: nil
            }
        }
    }

    /// What is known of the peer.
    enum Verdict: Sendable {
        case open
        case hasCode
        case hasNot
    }

    let coded: CodedChannel
    /// By it the peer names the channel in this session.
    var hint: [UInt8] = []
    private(set) var run = Run.idle
    private(set) var runSince = Instant.zero
    private(set) var verdict = Verdict.open
    private(set) var tags: ChannelTags?
    /// When this node begins a run, if the proof has not been made until then.
    private var beginsAt = Instant.distantFuture
    /// Runs that were lost in a row.
    private var lostCount = 0
    /// Until when `tags` count.
    private var expiresAt = Instant.distantFuture
    private var allowance: TokenBucket

    init(_ coded: CodedChannel, now: Instant) {
        self.coded = coded
        allowance = ChannelProof.fullAllowance(now: now)
    }

    private static func fullAllowance(now: Instant) -> TokenBucket {
        TokenBucket(burst: ChannelCodeLimits.answersBurst, interval: ChannelCodeLimits.answerInterval, now: now)
    }

    // MARK: The life of sessions

    /// - Parameter keepsTags: whether the link went on from the session before.
    mutating func beginSession(hint: [UInt8], beginsAt: Instant, keepsTags: Bool, now: Instant) {
        self.hint = hint
        self.beginsAt = beginsAt
        (run, lostCount) = (.idle, 0)
        if !keepsTags { tags = nil }
        expiresAt = tags == nil ? .distantFuture : now + ChannelCodeLimits.formerProofWait
    }

    /// The session before is in use again.
    mutating func wake(beginsAt: Instant) {
        if tags == nil || expiresAt != .distantFuture { self.beginsAt = beginsAt }
    }

    mutating func rest() { (run, beginsAt) = (.idle, .distantFuture) }

    // MARK: The run

    mutating func enter(_ run: Run, now: Instant) { (self.run, runSince) = (run, now) }

    /// Whether this node has begun a run lately, so that one of the peer can have crossed it.
    func hasJustBegun(now: Instant) -> Bool { run.isOwn && now < runSince + ChannelCodeLimits.crossedRunWait }

    /// Whether a run of the peer may be answered now. A run that succeeds gives back what the ones before it took.
    mutating func admitsAnswer(now: Instant) -> Bool { allowance.take(now: now) }

    /// Takes the tag of a proof. Returns whether it is the first one of this peer.
    mutating func succeed(_ tag: ChannelID, isHeldByPeer: Bool, now: Instant) -> Bool {
        tags = ChannelTags(coded.channel, newest: tag, former: tags?.newest, isNewestHeld: isHeldByPeer)
        expiresAt = .distantFuture
        rest()
        lostCount = 0
        allowance = ChannelProof.fullAllowance(now: now)
        defer { verdict = .hasCode }
        return verdict != .hasCode
    }

    mutating func fail(now: Instant) {
        rest()
        (verdict, lostCount) = (.hasNot, 0)
        beginsAt = now + ChannelCodeLimits.failedWait
    }

    /// What time has done: the run was lost, or the proof of the session before no longer counts.
    enum Lapse { case nothing, run, tags }

    mutating func lapse(now: Instant) -> Lapse {
        if tags != nil, expiresAt <= now {
            (tags, expiresAt, verdict) = (nil, .distantFuture, .open)
            return .tags
        }
        guard !run.isIdle, runSince + ChannelCodeLimits.stepWait <= now else { return .nothing }
        rest()
        if verdict != .hasCode { verdict = .hasNot }
        if tags == nil || expiresAt != .distantFuture {
            let wait = lostCount == 0 ? .zero : ChannelCodeLimits.lostRunWait * (1 << (lostCount - 1))
            beginsAt = now + wait
            lostCount = min(lostCount + 1, 1 + ChannelCodeLimits.lostRunDoublingsMax)
        }
        return .run
    }

    func isDue(now: Instant) -> Bool { run.isIdle && beginsAt <= now }

    var dueAt: Instant {
        min(expiresAt, run.isIdle ? beginsAt : runSince + ChannelCodeLimits.stepWait)
    }
}
