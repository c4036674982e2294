import Primitives
import Wire

/// The paths of one session, and when datagrams and echoes came over them.
///
/// A class, because it is large and read after every packet. Exactly one record of a peer holds it, as `current` or
/// `candidate`. It is internal, so that the optimizer sees every access and removes exclusivity checks that would
/// otherwise run at each access.
final class PathSet {
    private(set) var table: PathTable
    let startedAt: Instant
    /// When the last authentic datagram came, over any path.
    private(set) var heardAt: Instant
    /// When this node sent the newest control block that the peer has echoed.
    private(set) var echoedAt: Instant?
    private(set) var controlLoss = ControlLoss()
    private var sent = SentControlBlocks()
    private(set) var controlSequence: UInt32
    private var newestHeard: UInt32?
    private(set) var controlDueAt: Instant
    /// The longest voice payload that was sent over any path in this session and those before it.
    private var voiceBytesMax = 0
    /// Interval between probes while the link is down.
    private(set) var sleepInterval = MeshLimits.controlInterval
    /// Allowances for path challenges: `challenges` for addresses from which a datagram came, `announcedChallenges`
    /// for addresses at which the peer is only said to be.
    private var challenges: TokenBucket
    private var announcedChallenges: TokenBucket
    /// The address that was challenged last, of those at which the peer is only said to be.
    private(set) var lastAnnounced: Endpoint?

    /// - Parameters:
    ///   - direct: the address where the peer is expected; nil for a session on a tunnelled carrier.
    ///   - former: the paths of the session in use. The new session tries those of them that are proved.
    ///   - firstSequence: one less than the number of the first control block.
    init(
        direct: Endpoint?, adopting former: PathSet? = nil, firstSequence: UInt32, capacity: MeshCapacity, now: Instant
    ) {
        table = PathTable(direct: direct, directPathsMax: capacity.directPathsMax)
        if let former {
            table.adopt(from: former.table)
            voiceBytesMax = former.voiceBytesMax
        }
        startedAt = now
        heardAt = now
        controlSequence = firstSequence
        controlDueAt = .distantFuture
        challenges = TokenBucket(
            burst: capacity.pathChallengeBurst, interval: MeshLimits.pathChallengeInterval, now: now)
        announcedChallenges = challenges
    }

    // MARK: Signs of life

    /// Registers that an authentic datagram came.
    func heard(at now: Instant) { heardAt = now }

    /// Returns how a datagram came; nil where it came through a neighbour for which the table has no room.
    func arrival(from source: DatagramSource, now: Instant) -> DatagramArrival? {
        table.arrival(from: source, now: now)
    }

    /// Registers that an authentic datagram came over this path.
    func heard(over path: Int, at now: Instant) { table[path].heardAt = now }

    /// Keeps the newest control block of a path, to be echoed.
    func keepNewestHeard(_ sequence: UInt32, over path: Int, now: Instant) {
        table[path].keepNewestHeard(sequence, now: now)
    }

    /// Returns whether a control block is newer than all blocks before it, over any path, and remembers it if so.
    func isNewest(_ sequence: UInt32) -> Bool {
        if let newestHeard, Int32(bitPattern: sequence &- newestHeard) <= 0 { return false }
        newestHeard = sequence
        return true
    }

    /// Counts lost control blocks. Only ordinary control blocks over one direct path show what is lost. Probes do not,
    /// because they are sent over all paths.
    func countLoss(_ control: ControlBlock, _ arrival: DatagramArrival, now: Instant) {
        guard case .path(let path) = arrival, table[path].kind == .direct, !control.flags.contains(.probe) else {
            controlLoss.restart()
            return
        }
        controlLoss.add(control.sequence, path: path, now: now)
    }

    /// Counts gaps in the control blocks only from the next one on; the averaged loss stays.
    func restartLoss() { controlLoss.restart() }

    /// Takes over the averaged loss of the session before.
    func inheritLoss(from former: PathSet) {
        controlLoss = former.controlLoss
        restartLoss()
    }

    /// The instant at which the verification of the link begins, because the peer is silent or echoes nothing.
    var silentAt: Instant {
        let silence = controlLoss.silenceMax
        let echoSilence = silence + (MeshLimits.echoSilenceMax - MeshLimits.silenceMax)
        return min(heardAt + silence, (echoedAt ?? startedAt) + echoSilence)
    }

    /// Shortens the measured silence of the peer. This node was absent (`Absence`), and the absence ends now. A short
    /// absence is subtracted from the silence. After a long absence the silence begins again at zero.
    func forgive(_ absence: Absence, now: Instant) {
        heardAt = absence.forgive(heardAt, now: now)
        echoedAt = echoedAt.map { absence.forgive($0, now: now) }
        table.forgive(absence, now: now)
    }

    /// Lets the control blocks that left before `now` be older by `slept`, in which the clock of this node stood still.
    func ageSent(by slept: Interval, now: Instant) { sent.age(by: slept, now: now) }

    /// Forgets which control blocks were sent. After a long absence their echoes show only that the peer lived before.
    func forgetSent() { sent.removeAll() }

    // MARK: The time of the next control block

    func scheduleControl(at instant: Instant) { controlDueAt = instant }

    /// Schedules the next control block after one that leaves now.
    func scheduleControl(_ effects: inout Effects, now: Instant) {
        controlDueAt = now + PathSet.drawControlInterval(&effects)
    }

    /// Returns the time until the next control block: the interval less a random share (RFC 5880 §6.8.7), so that the
    /// heartbeats of many nodes do not fall into step.
    static func drawControlInterval(_ effects: inout Effects) -> Interval {
        let full = MeshLimits.controlInterval
        let least = full - full * Int64(MeshLimits.controlJitterPermilleMax) / 1_000
        return effects.random.interval(in: least...full)
    }

    /// Whether the next control block is due so soon that it leaves now, together with the voice that leaves now.
    func isControlDueSoon(now: Instant) -> Bool { controlDueAt <= now + MeshLimits.controlRideAhead }

    /// Begins the seldom probes of a session whose link went down (the session sleeps).
    func sleep(now: Instant) {
        sleepInterval = MeshLimits.controlInterval
        controlDueAt = now + sleepInterval
    }

    /// Schedules the next probe of a sleeping session, at doubling intervals.
    func sleepOn(now: Instant) {
        sleepInterval = min(sleepInterval * 2, MeshLimits.sleepProbeIntervalMax)
        controlDueAt = now + sleepInterval
    }

    /// Ends the sleep, because the link is up again: a control block leaves at once.
    func wake(now: Instant) {
        restartLoss()
        controlDueAt = now
    }

    // MARK: Control blocks and echoes

    /// Returns the content of a datagram for one path. Its control block echoes the newest block that came over that
    /// path.
    ///
    /// A control block that a neighbour relays is padded by the length of the longest voice payload that this node has
    /// sent to the peer before (`voiceBytesMax`), up to `WireLimits.paddingBytesMax`. So a neighbour that drops long
    /// datagrams drops it too, and the path brings no echo.
    // The body is made whole, because it is large: each change of a field afterwards would copy all of it.
    func makeBody(
        over path: Int, facts: ControlFacts?, listening: ListeningChange? = nil, tally: Tally? = nil,
        tableDigests: [TableDigest] = [], voice: [UInt8] = [], relayed: RelayedDatagram? = nil, now: Instant
    ) -> DatagramBody {
        voiceBytesMax = max(voiceBytesMax, voice.count)
        let isPadded = facts != nil && voice.isEmpty && table[path].kind == .relay
        return DatagramBody(
            control: facts.map { makeControl(over: path, $0, now: now) }, listening: listening, tally: tally,
            tableDigests: tableDigests, voice: voice, relayed: relayed,
            paddingBytes: isPadded ? min(voiceBytesMax, WireLimits.paddingBytesMax) : 0)
    }

    private func makeControl(over path: Int, _ facts: ControlFacts, now: Instant) -> ControlBlock {
        controlSequence &+= 1
        let heard = table[path].newestHeard
        let delay = heard.map { (now - $0.at).microseconds } ?? 0
        let control = ControlBlock(
            sequence: controlSequence, echo: heard?.sequence, echoDelayMicroseconds: UInt32(clamping: delay),
            digest: facts.digest, held: facts.held, sampleTime: facts.sampleTime, report: facts.report,
            flags: facts.flags)
        // `sent` notes the control block only after the block is made: the note goes to memory that was not used for
        // seconds, and the code that reads the block next would otherwise wait for that slow write.
        sent.add(SentControlBlocks.Block(sequence: controlSequence, at: now, route: table[path].route))
        return control
    }

    /// What the echo in a control block shows.
    enum EchoResult {
        /// The control block has no echo, or its echo names no block that this node remembers.
        case unknown
        /// The echoed control block left too long ago: the echo says nothing about the routes now.
        case late
        /// The echo counts. `isPathOpen` says whether the path on which the echoed control block left can be used now.
        /// That path may have been replaced, challenged anew or forgotten since. If nothing can be sent over it, the
        /// link must not come up.
        case inTime(rtt: Interval, isPathOpen: Bool)
    }

    /// Handles the echo in a control block of the peer. The echo counts if it names, for the first time, a control
    /// block that this node sent at most `MeshLimits.echoSilenceMax` ago.
    /// - Parameter hasCarrier: whether the session has a carrier now.
    func handleEcho(_ block: ControlBlock, hasCarrier: Bool, now: Instant) -> EchoResult {
        guard let named = block.echo, sent.contains(named) else { return .unknown }
        guard let sentBlock = sent.take(named, now: now) else { return .late }
        let rtt = max(.zero, now - sentBlock.at - .microseconds(Int64(block.echoDelayMicroseconds)))
        // The echo proves that the path was open when the echoed block left. It does not prove that the path is open
        // now.
        echoedAt = max(echoedAt ?? sentBlock.at, sentBlock.at)
        // Since the echoed block left, another path may have taken the place of its path in the table, and the carrier
        // may have closed. So the path is looked up by its route, and the path through the carrier needs a carrier.
        guard let path = table.index(of: sentBlock.route), sentBlock.route != .carrier || hasCarrier else {
            return .inTime(rtt: rtt, isPathOpen: false)
        }
        table[path].add(rtt: rtt)
        guard table[path].isProbed else { return .inTime(rtt: rtt, isPathOpen: false) }
        table[path].echoedAt = now
        return .inTime(rtt: rtt, isPathOpen: true)
    }

    // MARK: The paths

    /// Chooses the best path for the voice (`PathTable.choose`), and starts or ends the probes of better paths.
    func choosePath(now: Instant) { table.chooseAndSchedule(now: now) }

    /// Returns whether a probe of a path that is better than the chosen one is due, and schedules the next if so.
    func takeDueProbe(of path: Int, now: Instant) -> Bool {
        guard table[path].probeAt <= now else { return false }
        table.probeSent(path, now: now)
        return true
    }

    /// Returns whether addresses of the peer are to be challenged again now, because no direct path carries the voice.
    func takeDueChallenges(now: Instant) -> Bool { table.takeDueChallenges(now: now) }

    /// Clears the carrier path, because the carrier is gone.
    func forgetCarrier() { table.forgetCarrier() }

    enum RelayRequest {
        /// The table has the path, so it is probed.
        case asked
        /// The path was asked for before and did not answer.
        case fruitless
        case tableFull
    }

    /// Adds the path through a neighbour, if the neighbour has not failed to answer lately.
    func requestRelay(through neighbour: NodeID, rank: UInt64, now: Instant) -> RelayRequest {
        let known = table.index(of: .neighbour(neighbour)).map { table[$0] }
        // A forgotten path was not in use, so it has not failed to answer. It is asked for again at once, because the
        // neighbour's new link states show that the neighbour reaches the peer again.
        if let known, !known.isForgotten, known.isFruitless(now: now) { return .fruitless }
        guard let path = table.index(through: neighbour, rank: rank, isOpen: true, now: now) else { return .tableFull }
        let isAskedAnew = table[path].mayBeAsked(now: now) || known?.isForgotten == true
        if !table[path].isAlive(now: now), isAskedAnew { table[path].askedAt = now }
        return .asked
    }

    /// Notes whether a path through a neighbour comes after a carrier that brings echoes.
    func rank(_ path: Int, afterCarrier isAfterCarrier: Bool) { table[path].isAfterCarrier = isAfterCarrier }

    /// Stops the use of the path through a neighbour. Returns whether it carried the voice.
    func forgetRelay(through neighbour: NodeID) -> Bool { table.forget(neighbour: neighbour) }

    /// Takes a token for a challenge to an address from which a datagram came.
    func admitsChallenge(now: Instant) -> Bool { challenges.take(now: now) }

    /// Takes a token for a challenge to an address at which the peer is only said to be; if there is one, notes the
    /// address as `lastAnnounced`. These challenges have an allowance of their own, so that they do not use up the
    /// allowance for sources of datagrams.
    func admitsAnnouncedChallenge(to endpoint: Endpoint, now: Instant) -> Bool {
        guard announcedChallenges.take(now: now) else { return false }
        lastAnnounced = endpoint
        return true
    }

    /// Registers a challenge to an address. Returns false where the table has no room for its path.
    func challenge(_ endpoint: Endpoint, number: UInt64, now: Instant) -> Bool {
        table.challenge(endpoint, number: number, now: now)
    }

    /// Marks the path that was challenged with `number` as proved, and returns its index.
    func prove(challengedWith number: UInt64) -> Int? { table.prove(challengedWith: number) }
}
