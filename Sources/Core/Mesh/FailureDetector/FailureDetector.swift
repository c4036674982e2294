import Primitives

/// Decides which peers are present, suspected or dead, and keeps one model of this node's own health.
struct FailureDetector {
    private let policy: SuspicionPolicy
    private var peers: [Peer] = []
    var ownHealth: OwnHealth

    init(_ policy: SuspicionPolicy, now: Instant) {
        self.policy = policy
        ownHealth = OwnHealth(policy, now: now)
        peers.reserveCapacity(MeshScale.peersMax)
    }

    /// Resets the entry at `index` for the peer that got this slot.
    mutating func open(_ index: Int, for node: NodeID) { peers.open(index, Peer(node: node)) }

    subscript(index: Int) -> Peer {
        get { peers[index] }
        _modify { yield &peers[index] }
    }

    var health: LocalHealth { ownHealth.health }

    // Mutating, because it runs after every packet: the peer is read in place and not copied.
    mutating func considerWaits(of index: Int, _ earliest: inout EarliestDeadline) {
        peers[index].considerWaits(&earliest, healthFactor: ownHealth.health.factor, suspicion: policy)
    }

    func suspicionEnd(of index: Int) -> Instant? {
        peers[index].presence.suspicion?.deadline(healthFactor: ownHealth.health.factor, policy: policy)
    }

    // MARK: Changes that concern more than one peer

    /// Makes a peer present because its link is up. If the peer was suspected, and no neighbour had lost it, the fault
    /// was this node's own; that is counted against this node's local health.
    /// - Returns: whether the presence has changed.
    mutating func becomePresent(_ index: Int, _ effects: inout Effects, now: Instant) -> Bool {
        peers[index].becomePresent(&ownHealth, &effects, now: now)
    }

    /// Notes that an authentic datagram of a peer came: if the peer is suspected, its time begins again. With the
    /// policy of plain SWIM, datagrams change no wait.
    mutating func hearSuspect(_ index: Int, now: Instant) {
        guard ownHealth.suspectsItself else { return }
        peers[index].hearSuspect(now: now)
    }

    /// Notes an absence of this node that ends now: every suspected peer gets more time.
    /// - Parameter sign: the counter of the event, a pause or a receive outage.
    mutating func forgive(_ absence: Absence, _ sign: MeshCounter, _ effects: inout Effects, now: Instant) {
        ownHealth.register(absence, sign, &effects, now: now)
        for index in peers.indices { peers[index].forgive(absence, now: now) }
    }

    var hasSuspects: Bool { peers.contains { $0.presence.suspicion != nil } }

    /// Counts again, for each suspected peer, the neighbours that have no link to it.
    mutating func reviewSuspicions(_ witnesses: [Witness], _ effects: inout Effects, now: Instant) {
        let suspects = peers.count { $0.presence.suspicion?.cause == .silence }
        for index in peers.indices {
            peers[index].reviewSuspicion(witnesses, suspects: suspects, &effects, now: now)
        }
    }
}
