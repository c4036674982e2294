import Primitives
import Trust

/// How far this node and one peer are with the proof of one channel's code.
///
///     waits ─ begin ─► begins ─ START ─► waitsForAnswer ─ ANSWER ─► confirms ─ CONFIRM ─► proved, rests
///       └─── START ─► answers ─ ANSWER ─► waitsForConfirmation ─ CONFIRM ─► proved, rests
///
/// A proof is made anew in each session. Until then the proof of the session before counts if the link goes on, for
/// 15 s at most, so that no word is lost.
struct ChannelProof: Sendable {
    enum Course: Sendable {
        /// This node begins no run: the link is down, or the code is proved.
        case rests
        /// This node begins a run at this time.
        case waits(until: Instant)
        /// A run is under way. It ends without a proof if its next step has not come by `until`.
        case runs(Step, until: Instant)
    }

    enum Step: Sendable {
        case begins(UInt32, CodeExchange, ChannelTaskID)
        case waitsForAnswer(UInt32, CodeExchange, CodeShare)
        case confirms(UInt32, ChannelTaskID)
        case answers(UInt32, ChannelTaskID)
        case waitsForConfirmation(UInt32, tag: [UInt8], key: [UInt8])

        /// Whether this node has begun the run.
        var isOwn: Bool {
            switch self {
            case .begins, .waitsForAnswer, .confirms: true
            case .answers, .waitsForConfirmation: false
            }
        }

        var task: ChannelTaskID? {
            switch self {
            case .begins(_, _, let task), .confirms(_, let task), .answers(_, let task): task
            case .waitsForAnswer, .waitsForConfirmation: nil
            }
        }
    }

    /// What the peer has shown.
    enum Evidence: Sendable {
        case open
        /// It has not shown the code when it was asked last.
        case hasNot
        /// It has proved the code in this session.
        case proved(ChannelTags)
        /// The peer has proved the code in an earlier session. This proof counts until `until`.
        case provedBefore(ChannelTags, until: Instant)

        var tags: ChannelTags? {
            switch self {
            case .open, .hasNot: nil
            case .proved(let tags), .provedBefore(let tags, _): tags
            }
        }

        /// Returns the evidence with which the next session begins, if the link goes on.
        func inNextSession(now: Instant) -> Evidence {
            guard case .proved(let tags) = self else { return self }
            return .provedBefore(tags, until: now + ChannelCodeLimits.formerProofWait)
        }
    }

    let coded: CodedChannel
    /// The 16 bytes by which a run in this session says which channel is meant.
    private(set) var channelPointer: [UInt8]
    private(set) var course: Course
    private(set) var evidence = Evidence.open
    /// Own runs that were lost in a row.
    private var lostCount = 0

    init(_ coded: CodedChannel, channelPointer: [UInt8], course: Course) {
        self.coded = coded
        self.channelPointer = channelPointer
        self.course = course
    }

    var tags: ChannelTags? { evidence.tags }

    // MARK: The life of sessions

    /// - Parameter goesOn: whether the link went on from the session before.
    mutating func beginSession(channelPointer: [UInt8], beginsAt: Instant, goesOn: Bool, now: Instant) {
        self.channelPointer = channelPointer
        (course, lostCount) = (.waits(until: beginsAt), 0)
        evidence = goesOn ? evidence.inNextSession(now: now) : .open
    }

    /// The session before is in use again.
    mutating func wake(beginsAt: Instant) {
        if case .proved = evidence { return }
        course = .waits(until: beginsAt)
    }

    /// The link is down. If a run was under way or due, the peer may have no proof, or another one. So a proof of this
    /// node then counts as one of an earlier session, and `wake` begins a run.
    mutating func rest(now: Instant) {
        switch course {
        case .rests: break
        case .waits, .runs: evidence = evidence.inNextSession(now: now)
        }
        course = .rests
    }

    mutating func wait(until start: Instant) { course = .waits(until: start) }

    // MARK: The run

    mutating func enter(_ step: Step, now: Instant) {
        course = .runs(step, until: now + ChannelCodeLimits.stepWait)
    }

    /// Whether this node has begun a run that the peer has not answered. A run that the peer begins meanwhile crosses
    /// it.
    var awaitsAnswer: Bool {
        switch course {
        case .runs(.begins, _), .runs(.waitsForAnswer, _): true
        case .rests, .waits, .runs: false
        }
    }

    /// Takes the tag of a proof. Returns whether no proof of this peer counted before.
    mutating func succeed(_ tag: ChannelID, isHeldByPeer: Bool) -> Bool {
        let former = tags
        // The initiator of the former proof does not know whether its peer has that tag.
        let older = former.map { [$0.newest] + $0.older } ?? []
        evidence = .proved(
            ChannelTags(
                coded.channel, newest: tag, older: Array(older.prefix(ChannelCodeLimits.olderTagsMax)),
                isNewestHeld: isHeldByPeer))
        (course, lostCount) = (.rests, 0)
        return former == nil
    }

    /// The peer does not have the code: no earlier proof of it counts.
    mutating func fail(now: Instant) {
        (evidence, lostCount) = (.hasNot, 0)
        course = .waits(until: now + ChannelCodeLimits.failedWait)
    }

    enum Lapse { case lost, failed }

    /// Ends what has taken too long. Returns how a run has ended by that; nil if none has.
    mutating func lapse(now: Instant) -> Lapse? {
        if case .provedBefore(_, let end) = evidence, end <= now { evidence = .open }
        guard case .runs(let step, let end) = course, end <= now else { return nil }
        guard step.isOwn || tags != nil else {
            // A peer with another code does not confirm.
            fail(now: now)
            return .failed
        }
        if case .open = evidence { evidence = .hasNot }
        let wait = lostCount == 0 ? .zero : ChannelCodeLimits.lostRunWait * (1 << (lostCount - 1))
        course = .waits(until: now + wait)
        lostCount = min(lostCount + 1, 1 + ChannelCodeLimits.lostRunDoublingsMax)
        return .lost
    }

    func isDue(now: Instant) -> Bool { if case .waits(let start) = course { start <= now } else { false } }

    var dueAt: Instant {
        let next: Instant =
            switch course {
            case .rests: .distantFuture
            case .waits(let end), .runs(_, let end): end
            }
        guard case .provedBefore(_, let end) = evidence else { return next }
        return min(end, next)
    }
}
