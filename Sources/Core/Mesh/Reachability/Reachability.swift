import Primitives

/// How this node finds its peers: addresses and their proofs, dials and their limits, waits after failures, beacons
/// and connect requests.
struct Reachability {
    /// What this node knows of the addresses of one peer, and how it tries to reach the peer.
    struct Peer {
        let node: NodeID
        var addresses = AddressBook()
        var dials = DialPlan()
        var backoff = Backoff()
        var connectRequests = ConnectRequestSchedule()
        var directSearch = DirectSearch()
        /// Neighbours asked for a tunnel, so that each has its turn. Cleared when all were asked, when the link wakes,
        /// and when a new session is in use.
        var neighboursAsked: [PeerSlot] = []
        var wantedUntil: Instant = .zero
        /// For a gone peer: whether a hint led to the present attempt, and the instant before which no further hint
        /// does.
        var isHinted = false
        var hintsUsedAt: Instant = .zero
        /// When the random retry of dead peers last drew this peer.
        var drawnAt: Instant?
        var isLearnedByGossip = false
        /// Connect requests of the peer that this node forwards.
        var connectRequestsForwarded: TokenBucket

        mutating func considerWaits(_ earliest: inout EarliestDeadline) {
            earliest.consider(connectRequests.nextAt, .retry)
            earliest.consider(dials.tunnelAt, .dial)
        }
    }

    private var peers: [Peer] = []
    private let capacity: MeshCapacity
    var staticPeers: [StaticPeer]
    var learnedPrefixes: [AddressPrefix] = []
    var dialer: Dialer
    var beacon: BeaconSchedule
    var beaconChecks: BeaconChecks
    var forwardedConnectRequests: TokenBucket
    var connectRequestSequence: UInt32 = 0
    /// When a dead peer is dialled next; `.distantFuture` while there are none.
    var deadRetryAt: Instant = .distantFuture
    var resetAt: Instant?

    init(_ configuration: MeshConfiguration, random: inout SeededRandom, now: Instant) {
        capacity = configuration.capacity
        dialer = Dialer(now: now)
        staticPeers = configuration.staticPeers.prefix(MeshLimits.staticPeersMax).map {
            StaticPeer(endpoint: $0, nextAt: now)
        }
        beacon = BeaconSchedule(isEnabled: configuration.beaconEnabled, now: now, random: &random)
        beaconChecks = BeaconChecks(burstPerSource: capacity.beaconChecksPerSourceBurst, now: now)
        forwardedConnectRequests = TokenBucket(
            burst: MeshLimits.connectRequestsForwardedBurst, interval: MeshLimits.connectRequestsForwardedInterval,
            now: now)
        peers.reserveCapacity(MeshScale.peersMax)
    }

    /// Begins anew with a peer that got the slot `index`.
    mutating func open(_ index: Int, for node: NodeID) {
        peers.open(
            index,
            Peer(
                node: node,
                connectRequestsForwarded: TokenBucket(
                    burst: capacity.connectRequestsForwardedBurst,
                    interval: MeshLimits.connectRequestsForwardedPerPeerInterval, now: .zero)))
    }

    subscript(index: Int) -> Peer {
        get { peers[index] }
        _modify { yield &peers[index] }
    }
}
