import Primitives
import Wire

/// When the own row of links is told: on change, at most once a second.
struct LinkRowSchedule {
    private(set) var dueAt: Instant = .distantFuture
    private var sentAt: Instant?
    /// What was told last; the same is not told again.
    var told: [LinkRowEntry] = []

    mutating func change(now: Instant) {
        let earliest = sentAt.map { $0 + MeshLimits.linkRowInterval } ?? now
        dueAt = min(dueAt, max(now + MeshLimits.linkRowDelay, earliest))
    }

    mutating func sent(now: Instant, nextCheckAt: Instant) {
        sentAt = now
        dueAt = nextCheckAt
    }
}

/// Who is linked to whom, with which quality: each node tells its own row, the rows are the matrix.
extension MeshNode {
    func ownLinkRow() -> [LinkRowEntry] {
        var row: [LinkRowEntry] = []
        for index in peers.indices where peers[index].state.isLinked {
            guard let session = peers[index].session else { continue }
            let path = session.paths.chosenPath
            row.append(
                LinkRowEntry(
                    peer: peers[index].node, instance: session.instance, path: told(path.kind, of: index),
                    rttClass: LinkRowEntry.rttClass(path.rtt),
                    lossClass: LinkRowEntry.lossClass(permille: peers[index].ownReport?.lossPermille)))
        }
        return row
    }

    /// A tunnelled carrier leads through a third as a relay does: who hears of it seeks no help there.
    func told(_ kind: PathKind, of index: Int) -> PathKind { kind == .carrier && isTunnelled(index) ? .relay : kind }

    mutating func sendLinkRows(now: Instant) {
        let row = ownLinkRow()
        // Qualities are looked at now and then; a link made or lost is told soon.
        rows.sent(now: now, nextCheckAt: row.isEmpty ? .distantFuture : now + MeshLimits.linkRowClassInterval)
        guard row.isWorthTelling(after: rows.told), !Mutant.rowNotSent.isOn else { return }
        rows.told = row
        let frame = CarrierMessage.linkRow(row).encoded()
        for index in peers.indices where peers[index].state.isLinked {
            guard let carrier = peers[index].session?.carrier else { continue }
            counters.count(.linkRowsSent)
            outputs.append(.carrierSend(carrier, frame))
        }
    }

    mutating func receiveLinkRow(_ entries: [LinkRowEntry], on line: CarrierLine, of index: Int, now: Instant) {
        guard peers[index].session?.carrier == line.id else {
            counters.count(.rowsOfStrangers)
            return
        }
        var row: [LinkRowEntry] = []
        for entry in entries.prefix(WireLimits.linkRowEntriesMax) {
            if isGhost(entry.instance, of: entry.peer) {
                counters.count(.ghostRows)
                continue
            }
            row.append(entry)
            repair(entry, learnedFrom: index, now: now)
        }
        peers[index].row = row
        peers[index].rowDigest = CliqueState.digest(of: row.map(\.peer) + [peers[index].node])
        clique.isStale = true
        heedRowOfRelay(index, now: now)
        reviewSuspicions()
    }

    /// A neighbour is linked to somebody that this node is not linked to: seek them.
    private mutating func repair(_ entry: LinkRowEntry, learnedFrom neighbour: Int, now: Instant) {
        guard entry.peer != node, let place = roster.index(of: entry.peer) else { return }
        roster[index: place].witnessedAt = now
        guard let index = peers.index(of: entry.peer), !peers[index].state.isLinked, !isBlocked(entry.peer) else {
            return
        }
        peers[index].isLearnedByGossip = true
        seek(index, now: now)
    }
}

extension LinkRowEntry {
    /// 0 below 1 ms, then doubling; 15 where it is not known.
    static func rttClass(_ rtt: Interval?) -> UInt8 {
        guard let rtt else { return 15 }
        var rest = rtt.milliseconds
        var rttClass: UInt8 = 0
        while 0 < rest, rttClass < 14 {
            rest /= 2
            rttClass += 1
        }
        return rttClass
    }

    static func lossClass(permille: UInt16?) -> UInt8 {
        switch permille ?? 0 {
        case 0: 0
        case ..<10: 1
        case ..<50: 2
        case ..<100: 3
        case ..<200: 4
        default: 5
        }
    }
}

extension [LinkRowEntry] {
    /// Whether peers, instances or paths differ, or a quality by more than one class: a value on
    /// the edge of two classes is no news.
    func isWorthTelling(after told: [LinkRowEntry]) -> Bool {
        guard count == told.count else { return true }
        for (new, old) in zip(self, told) {
            guard new.peer == old.peer, new.instance == old.instance, new.path == old.path else { return true }
            let rttStep = abs(Int(new.rttClass) - Int(old.rttClass))
            let lossStep = abs(Int(new.lossClass) - Int(old.lossClass))
            if 1 < rttStep || 1 < lossStep { return true }
        }
        return false
    }
}
