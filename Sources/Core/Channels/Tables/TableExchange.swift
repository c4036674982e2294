import Primitives
import Trust
package import Wire

/// One entry of a replicated table, as the comparison with neighbours sees it.
package struct TableRow: Hashable, Sendable {
    package let id: TableEntryID
    /// The signed bytes.
    package let bytes: [UInt8]
    /// SHA-256 of `bytes`.
    package let hash: [UInt8]

    package init(id: TableEntryID, bytes: [UInt8], hash: [UInt8]) {
        self.id = id
        self.bytes = bytes
        self.hash = hash
    }
}

/// Keeps one table equal with that of every neighbour: when to send which digest, summary and entries. What an entry
/// means, and which of two stands, is the table's own matter.
///
///     own change ─► digest to all, at once ─ ─► differs for a round trip + 250 ms ─► summary ─ ─► answer: entries
///     own entry ──► push to all ─ ─► new there? pass on once
///
/// Nothing large is sent that was not asked for, so no amount of history fills a carrier's queue.
struct TableExchange {
    let table: TableKind
    private let sealing: any Sealing
    /// By slot; nil where no peer was linked yet.
    private var peers: [TablePeer?] = []

    init(_ table: TableKind, sealing: any Sealing) {
        self.table = table
        self.sealing = sealing
        peers.reserveCapacity(MeshScale.peersMax)
    }

    /// The earliest instant at which `run` has something to do.
    var dueAt: Instant { peers.reduce(.distantFuture) { min($0, $1?.dueAt ?? .distantFuture) } }

    // MARK: Neighbours

    /// Begins the comparison with a neighbour in a new session. The allowances of a peer outlive its sessions.
    mutating func begin(_ slot: PeerSlot, _ node: NodeID, nonces: [UInt8], now: Instant) {
        while peers.count <= slot.index { peers.append(nil) }
        if peers[slot.index]?.node != node { peers[slot.index] = TablePeer(node) }
        peers[slot.index]?.begin(nonces: nonces, now: now)
    }

    mutating func end(_ slot: PeerSlot) {
        if isLinked(slot) { peers[slot.index]?.end() }
    }

    private func isLinked(_ slot: PeerSlot) -> Bool {
        slot.index < peers.count && peers[slot.index]?.isLinked == true
    }

    /// The linked neighbours except one, to which a new entry goes.
    func linked(except slot: PeerSlot?) -> [PeerSlot] {
        peers.indices.filter { peers[$0]?.isLinked == true && $0 != slot?.index }.map { PeerSlot(index: $0) }
    }

    // MARK: Digests

    mutating func tableChanged(now: Instant) {
        for index in peers.indices { peers[index]?.tableChanged(now: now) }
    }

    /// - Parameter rows: read only if the own digest has to be computed.
    mutating func receive(
        _ digest: UInt64, from slot: PeerSlot, rtt: Interval?, _ rows: @autoclosure () -> [TableRow], now: Instant
    ) {
        guard isLinked(slot), let own = peers[slot.index]?.digest(of: rows(), table, sealing) else { return }
        peers[slot.index]?.receive(digest: digest, own: own, rtt: rtt ?? .zero, now: now)
    }

    /// Something that a neighbour is sent.
    enum Due {
        case digest(TableDigest, PeerSlot, isUrgent: Bool)
        case summary(TableSummary, PeerSlot)
    }

    /// Returns the digests and summaries that are due. A node with an empty table sends no digest: its neighbours
    /// could get nothing from it, and it asks by itself when a digest comes.
    mutating func run(_ rows: [TableRow], now: Instant) -> [Due] {
        var due: [Due] = []
        for index in peers.indices {
            guard var peer = peers[index], peer.dueAt <= now else { continue }
            let slot = PeerSlot(index: index)
            if peer.summaries.dueAt <= now, let summary = peer.dueSummary(of: rows, table, sealing, now: now) {
                due.append(.summary(summary, slot))
            }
            if peer.digests.dueAt <= now {
                if rows.isEmpty {
                    peer.restDigests()
                } else {
                    let digest = TableDigest(table, digest: peer.digest(of: rows, table, sealing))
                    due.append(.digest(digest, slot, isUrgent: peer.digests.isUrgent))
                    peer.digestSent(now: now)
                }
            }
            peers[index] = peer
        }
        return due
    }

    // MARK: Frames

    /// Returns the answer to a summary. It is `overRate` above the neighbour's allowance.
    mutating func answer(_ summary: TableSummary, from slot: PeerSlot, _ rows: [TableRow], now: Instant) -> Answer {
        guard isLinked(slot) else { return .nothing }
        guard peers[slot.index]?.admitsSummary(now: now) == true else { return .overRate }
        guard let answer = peers[slot.index]?.answer(summary, from: rows, sealing) else { return .nothing }
        return .entries(answer)
    }

    enum Answer {
        case entries(TableEntries)
        case nothing
        case overRate
    }

    /// Returns how many entries of a frame are admitted, and whether this node had asked for them.
    mutating func admit(_ message: TableEntries, from slot: PeerSlot, now: Instant) -> (count: Int, isAnswer: Bool) {
        guard isLinked(slot) else { return (0, false) }
        return peers[slot.index]?.admit(message, now: now) ?? (0, false)
    }
}
