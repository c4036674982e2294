package import Primitives
import Wire

/// Over which paths sealed datagrams go to each peer, and what the control blocks in them say.
struct Paths {
    private var peers: [Peer] = []
    private(set) var clock: MediaClock
    /// The flags of every control block.
    private var ownFlags: ControlFlags
    private var talk = ShownTalk.nobody
    private var grants: TalkGrants
    private let capacity: MeshCapacity
    /// One less than the number of the first control block of each session; drawn at random if nil.
    private let firstSequence: UInt32?

    init(_ configuration: MeshConfiguration, now: Instant) {
        clock = MediaClock(now: now)
        ownFlags = configuration.takesPlain ? .takesPlain : []
        grants = configuration.grants
        capacity = configuration.capacity
        firstSequence = configuration.firstSequence
        peers.reserveCapacity(MeshScale.peersMax)
    }

    /// Resets the entry at `index` for the peer that got this slot.
    mutating func open(_ index: Int, for node: NodeID) {
        peers.open(index, Peer(node: node, slot: PeerSlot(index: index)))
    }

    subscript(index: Int) -> Peer {
        get { peers[index] }
        _modify { yield &peers[index] }
    }

    mutating func setClock(_ time: SampleTime, now: Instant) { clock.set(time, now: now) }

    /// Sets a flag of every control block. Returns whether it has changed.
    mutating func setFlag(_ flag: ControlFlags, _ isSet: Bool) -> Bool {
        guard ownFlags.contains(flag) != isSet else { return false }
        ownFlags.formSymmetricDifference(flag)
        return true
    }

    /// Sets to whom this node's talking is shown. Returns to whom it was shown before.
    mutating func setTalk(_ shown: ShownTalk) -> ShownTalk {
        defer { talk = shown }
        return talk
    }

    /// Sets whose private talk and talk to all this node plays. Returns whose it played before.
    mutating func setGrants(_ new: TalkGrants) -> TalkGrants {
        defer { grants = new }
        return grants
    }

    /// Returns what a control block to this peer says on every path.
    /// - Parameters:
    ///   - flags: the flags of this block, beside those of every block.
    ///   - digest: the digest of the records that this node knows.
    ///   - held: the numbers (generations) of the newest link states and of the newest channels of the peer that this
    ///     node has received in the session.
    func facts(
        for index: Int, _ flags: ControlFlags, digest: UInt32, held: HeldGenerations, now: Instant
    ) -> ControlFacts {
        let shown: ControlFlags = talk.isShown(to: peers[index].node) ? .talking : []
        return ControlFacts(
            digest: digest, held: held, sampleTime: clock.sampleTime(now: now), report: peers[index].ownReport,
            flags: ownFlags.union(flags).union(shown).union(ControlFlags(grants.refused(to: peers[index].node))))
    }

    /// Begins the paths of a candidate session: the address `direct`, the carrier itself, and the proved paths of the
    /// session in use.
    /// - Parameter direct: the address where the peer is expected; nil for a session on a tunnelled carrier.
    mutating func openCandidate(of index: Int, direct: Endpoint?, _ effects: inout Effects, now: Instant) {
        let drawn = UInt32(truncatingIfNeeded: effects.random.next())
        peers[index].open(
            candidate: PathSet(
                direct: direct, adopting: peers[index].current, firstSequence: firstSequence ?? drawn,
                capacity: capacity, now: now))
    }
}

/// The fields of a control block (the heartbeat) that are the same on all paths. `PathSet` adds the others.
struct ControlFacts {
    var digest: UInt32
    var held: HeldGenerations
    var sampleTime: SampleTime
    var report: ReceptionReport?
    var flags: ControlFlags
}

/// The peers to which this node shows that it talks, by a flag in its control blocks. These are all peers if it talks
/// to all or on a channel without a code. Otherwise they are the peers that have proved the code of its channel, and
/// those to which it talks privately.
package enum ShownTalk: Hashable, Sendable {
    case nobody
    case everybody
    case only([NodeID])

    func isShown(to peer: NodeID) -> Bool {
        switch self {
        case .nobody: false
        case .everybody: true
        case .only(let peers): peers.contains(peer)
        }
    }
}

extension ControlFlags {
    init(_ refused: RefusedTalk) {
        self = refused.contains(.privately) ? .refusesPrivate : []
        if refused.contains(.toAll) { insert(.refusesToAll) }
    }

    /// The talk of the receiver that the sender does not play.
    var refusedTalk: RefusedTalk {
        var refused: RefusedTalk = contains(.refusesPrivate) ? .privately : []
        if contains(.refusesToAll) { refused.insert(.toAll) }
        return refused
    }
}

/// This node's media clock, extrapolated at 48 kHz between two updates from the shell.
package struct MediaClock: Sendable {
    private var time = SampleTime(samples: 0)
    private var at: Instant

    package init(now: Instant) { at = now }

    package mutating func set(_ time: SampleTime, now: Instant) {
        self.time = time
        at = now
    }

    package func sampleTime(now: Instant) -> SampleTime {
        // Whole seconds are computed apart, so that the product does not overflow after days without an update.
        let elapsed = (now - at).nanoseconds
        let (seconds, rest) = elapsed.quotientAndRemainder(dividingBy: 1_000_000_000)
        let samples = seconds * Int64(SampleTime.rateHertz) + rest * Int64(SampleTime.rateHertz) / 1_000_000_000
        return SampleTime(samples: time.samples &+ UInt32(truncatingIfNeeded: samples))
    }
}
