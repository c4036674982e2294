import Primitives
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
    ///   - held: what this node holds of the peer's views in the session.
    func facts(
        for index: Int, _ flags: ControlFlags, digest: UInt32, held: HeldGenerations, now: Instant
    ) -> ControlFacts {
        let shown: ControlFlags = talk.isShown(to: peers[index].node) ? .talking : []
        return ControlFacts(
            digest: digest, held: held, sampleTime: clock.sampleTime(now: now), report: peers[index].ownReport,
            flags: ownFlags.union(flags).union(shown).union(ControlFlags(grants.refused(to: peers[index].node))))
    }

    /// Begins the paths of a candidate session: the address of its carrier, and the proved paths of the session in use.
    /// - Parameter direct: the address where the peer is expected; nil for a session on a tunnelled carrier.
    mutating func openCandidate(of index: Int, direct: Endpoint?, _ effects: inout Effects, now: Instant) {
        let drawn = UInt32(truncatingIfNeeded: effects.random.next())
        peers[index].open(
            candidate: PathSet(
                direct: direct, adopting: peers[index].current, firstSequence: firstSequence ?? drawn,
                capacity: capacity, now: now))
    }
}
