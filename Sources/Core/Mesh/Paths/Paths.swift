import Primitives
import Wire

/// Where sealed datagrams go, and what the control blocks in them say.
struct Paths {
    /// What the control blocks of one peer have said, and what this node reports to it.
    struct Peer {
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
    mutating func open(_ index: Int) { peers.open(index, Peer()) }

    subscript(index: Int) -> Peer {
        get { peers[index] }
        _modify { yield &peers[index] }
    }
}
