import Primitives
import Wire

/// Where sealed datagrams go, and what the control blocks in them say.
struct Paths {
    /// What the control blocks of one peer have said, and what this node reports to it.
    struct Peer {
        let node: NodeID
        /// The paths of the session in use, and of the session that is being agreed on.
        var session: PathSet?
        var candidate: PathSet?
        var advertisedPath = AdvertisedPath()
        var isTalking = false
        var takesPlain = false
        var isRecording = false
        /// How the peer receives this node, and how this node receives the peer.
        var peerReport: ReceptionReport?
        var ownReport: ReceptionReport?
        var probeSequence: UInt32?
        /// Datagrams of any session with the peer: `datagrams` for the peer's own content, `relayed` for those that
        /// contain a relayed datagram. Relayed ones are counted apart, so that they cannot silence the neighbour.
        var datagrams = Self.bucket(MeshLimits.datagramsPerPeerBurst, MeshLimits.datagramsPerPeerInterval)
        var relayed = Self.bucket(MeshLimits.datagramsPerPeerBurst, MeshLimits.datagramsPerPeerInterval)
        /// Changes of the flags in its control blocks: it talks, records, takes plain sound.
        var flagChanges = Self.bucket(MeshLimits.flagChangesBurst, MeshLimits.flagChangeInterval)

        private static func bucket(_ burst: Int, _ interval: Interval) -> TokenBucket {
            TokenBucket(burst: burst, interval: interval, now: .zero)
        }

        /// Returns the paths of the session with this role. A retired session has none of its own.
        func set(of role: SessionRole) -> PathSet? { role == .candidate ? candidate : session }

        var controlDueAt: Instant { session?.controlDueAt ?? .distantFuture }
        var candidateDueAt: Instant { candidate?.controlDueAt ?? .distantFuture }
        var pathProbeAt: Instant { session?.table.nextProbe ?? .distantFuture }

        /// - Parameter isUp: whether the link is up, so that a silence of the peer starts its verification.
        // Mutating, because it runs after every packet: the record is read in place and not copied.
        mutating func considerWaits(_ earliest: inout EarliestDeadline, isUp: Bool) {
            earliest.consider(controlDueAt, .control)
            earliest.consider(pathProbeAt, .pathProbe)
            earliest.consider(candidateDueAt, .control)
            if isUp, let silentAt = session?.silentAt { earliest.consider(silentAt, .silence) }
        }
    }

    private var peers: [Peer] = []
    var clock: MediaClock
    /// The flags of every control block.
    var ownFlags: ControlFlags

    init(_ configuration: MeshConfiguration, now: Instant) {
        clock = MediaClock(now: now)
        ownFlags = configuration.takesPlain ? .takesPlain : []
        peers.reserveCapacity(MeshScale.peersMax)
    }

    /// Begins anew with a peer that got the slot `index`.
    mutating func open(_ index: Int, for node: NodeID) { peers.open(index, Peer(node: node)) }

    subscript(index: Int) -> Peer {
        get { peers[index] }
        _modify { yield &peers[index] }
    }
}
