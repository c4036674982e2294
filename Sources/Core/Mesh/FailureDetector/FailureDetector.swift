import Primitives

/// Who is there: the slow verdict on each peer, and one model of this node's own health.
struct FailureDetector {
    /// The verdict on one peer.
    struct Peer {
        let node: NodeID
        var presence = PeerPresence.unmet
        var flaps = FlapDamping()

        mutating func considerWaits(
            _ earliest: inout EarliestDeadline, healthFactor: Int64, suspicion policy: SuspicionPolicy
        ) {
            if let at = presence.suspicion?.deadline(healthFactor: healthFactor, policy: policy) {
                earliest.consider(at, .suspicion)
            }
            if flaps.isDamped { earliest.consider(flaps.calmAt, .flap) }
        }
    }

    private var peers: [Peer] = []
    var health = LocalHealth()
    /// When anything authentic last came, from any peer.
    var heardAnybodyAt: Instant
    /// When the verdicts were last frozen, because this node had a receive outage or stood still.
    var frozenAt: Instant?

    init(now: Instant) {
        heardAnybodyAt = now
        peers.reserveCapacity(MeshScale.peersMax)
    }

    /// Begins anew with a peer that got the slot `index`.
    mutating func open(_ index: Int, for node: NodeID) { peers.open(index, Peer(node: node)) }

    subscript(index: Int) -> Peer {
        get { peers[index] }
        _modify { yield &peers[index] }
    }
}
