import Primitives
import Wire

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
        let row = ownLinkRow().settled(after: rows.told)
        // Qualities are looked at now and then; a link made or lost is told soon.
        rows.sent(now: now, nextCheckAt: row.isEmpty ? .distantFuture : now + MeshLimits.linkRowClassInterval)
        let changes = row.changes(since: rows.told)
        guard !changes.isEmpty else { return tellAgain(row) }
        let before = rows.number
        rows.tell(row, now: now)
        let whole = CarrierMessage.linkRow(row).encoded()
        let part = CarrierMessage.linkChanges(changes).encoded()
        for index in peers.indices where peers[index].state.isLinked {
            guard let session = peers[index].session, let carrier = session.carrier else { continue }
            counters.count(.linkRowsSent)
            let hasLast = peers[index].ownRowTold == RowTelling(carrier: carrier, number: before)
            outputs.append(.carrierSend(carrier, hasLast && part.count < whole.count ? part : whole))
            // Until the peer has taken the session over, it may not heed a row.
            let isHeeded = session.startedAt + MeshLimits.negotiationMax < now
            peers[index].ownRowTold = isHeeded ? RowTelling(carrier: carrier, number: rows.number) : nil
            peers[index].isGreetedApart = false
        }
    }

    /// Nothing is new, but to those who were greeted with what was true for a moment.
    private mutating func tellAgain(_ row: [LinkRowEntry]) {
        for index in peers.indices where peers[index].isGreetedApart && peers[index].state.isLinked {
            guard let carrier = peers[index].session?.carrier else { continue }
            peers[index].isGreetedApart = false
            counters.count(.linkRowsSent)
            send(.linkRow(row), on: carrier)
        }
    }

    /// To a session that is new, or whose link comes back after it has missed something.
    mutating func greetWithRow(_ index: Int, on carrier: CarrierID) {
        if peers[index].ownRowTold == RowTelling(carrier: carrier, number: rows.number) {
            return
        }
        // It may differ from what was told last, so the next is whole too.
        peers[index].ownRowTold = nil
        let row = ownLinkRow().settled(after: rows.told)
        peers[index].isGreetedApart = !row.changes(since: rows.told).isEmpty
        send(.linkRow(row), on: carrier)
    }

    mutating func receiveLinkRow(_ entries: [LinkRowEntry], on line: CarrierLine, of index: Int, now: Instant) {
        if peers[index].session?.carrier == line.id {
            read(entries, asRowOf: index, now: now)
        } else if let candidate = peers[index].candidate, candidate.carrier == line.id {
            candidate.rowBeforeEcho = entries
        } else {
            counters.count(.rowsOfStrangers)
        }
    }

    mutating func receiveLinkChanges(_ changes: [LinkChange], on line: CarrierLine, of index: Int, now: Instant) {
        if let session = peers[index].session, session.carrier == line.id {
            let known = peers[index].rowDigest == nil ? nil : peers[index].row
            guard let last = session.rowUnread?.row ?? known else { return counters.count(.rowChangesUnfounded) }
            read(last.changed(by: changes), asRowOf: index, now: now)
        } else if let candidate = peers[index].candidate, candidate.carrier == line.id {
            candidate.rowBeforeEcho = candidate.rowBeforeEcho?.changed(by: changes)
        } else {
            counters.count(.rowsOfStrangers)
        }
    }

    /// Takes the row where the peer's allowance reaches. Else it waits, the newest alone: a teller tells nothing twice,
    /// so a dropped row would be missing for good.
    private mutating func read(_ row: [LinkRowEntry], asRowOf index: Int, now: Instant) {
        guard let session = peers[index].session else { return }
        guard peers[index].allowances.rowsTaken.take(now: now) else {
            counters.count(.rowsOverRate)
            let readAt = session.rowUnread?.readAt ?? now + MeshLimits.linkRowTakenInterval
            session.rowUnread = UnreadRow(row: row, readAt: readAt)
            deadlines.needsRefresh = true
            return
        }
        session.rowUnread = nil
        take(row, asRowOf: index, now: now)
    }

    mutating func readLate(_ index: Int, now: Instant) {
        guard let unread = peers[index].session?.rowUnread else { return }
        peers[index].session?.rowUnread = nil
        read(unread.row, asRowOf: index, now: now)
    }

    /// The session has been taken over: what its peer told before counts now.
    mutating func takeRowBeforeEcho(_ index: Int, now: Instant) {
        guard let row = peers[index].session?.rowBeforeEcho else { return }
        peers[index].session?.rowBeforeEcho = nil
        take(row, asRowOf: index, now: now)
    }

    private mutating func take(_ entries: [LinkRowEntry], asRowOf index: Int, now: Instant) {
        let known = peers[index].row
        var row: [LinkRowEntry] = []
        for entry in entries.prefix(WireLimits.linkRowEntriesMax) {
            if isGhost(entry.instance, of: entry.peer) {
                counters.count(.ghostRows)
                continue
            }
            row.append(entry)
            repair(entry, after: known, now: now)
        }
        peers[index].row = row
        peers[index].rowDigest = CliqueState.digest(of: row.map(\.peer) + [peers[index].node])
        clique.isStale = true
        heedRowOfRelay(index, now: now)
        reviewSuspicions()
    }

    /// A neighbour is linked to somebody that this node is not linked to: seek them.
    /// - Parameter known: what that neighbour has told before. What it says again, beside a change that concerns
    ///   others, is no new hint: whoever was sought for it in vain is not dialled once more.
    private mutating func repair(_ entry: LinkRowEntry, after known: [LinkRowEntry], now: Instant) {
        guard entry.peer != node, roster.index(of: entry.peer) != nil else { return }
        witness(entry.peer, at: now, now: now)
        let hasSlot = peers.index(of: entry.peer) != nil
        guard !isBlocked(entry.peer), let index = peerIndex(of: entry.peer, now: now), !peers[index].state.isLinked,
            !hasSlot || !known.contains(where: { $0.peer == entry.peer && $0.instance == entry.instance })
        else { return }
        peers[index].isLearnedByGossip = true
        seek(index, now: now)
    }
}

/// The newest row of a peer that has told more than is read of it, and when it is read.
struct UnreadRow {
    var row: [LinkRowEntry]
    var readAt: Instant
}

extension [LinkRowEntry] {
    /// The row after its teller's changes, no longer than any.
    fileprivate func changed(by changes: [LinkChange]) -> [LinkRowEntry] {
        Array(applying(changes).prefix(WireLimits.linkRowEntriesMax))
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
