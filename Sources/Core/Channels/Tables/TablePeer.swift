import Primitives
import Trust
import Wire

/// The comparison of one table with one neighbour.
struct TablePeer {
    let node: NodeID
    /// The nonces of the session, with which all hashes are keyed; nil while there is no link.
    private(set) var nonces: [UInt8]?
    /// The digest of the own table under these nonces; nil if it has to be computed again.
    private var ownDigest: UInt64?
    /// The digest that came last in this session.
    private(set) var theirDigest: UInt64?
    private(set) var digests = DigestSchedule()
    private(set) var summaries = ComparisonSchedule()
    /// Whether the neighbour may answer a summary of this node. Its answer may have as many entries as fit into a
    /// frame.
    private var hasCredit = false
    private var answers = TokenBucket(
        burst: TableLimits.answersBurst, interval: TableLimits.answerInterval, now: .zero)
    private var pushes = TokenBucket(burst: TableLimits.pushesBurst, interval: TableLimits.pushInterval, now: .zero)
    /// The id at which the next answer begins, if the last one was full: a neighbour that cannot keep the first
    /// entries would otherwise never get the others.
    private var answerFrom: TableEntryID?

    init(_ node: NodeID) { self.node = node }

    var isLinked: Bool { nonces != nil }
    var dueAt: Instant { isLinked ? min(digests.dueAt, summaries.dueAt) : .distantFuture }

    // MARK: The life of sessions

    mutating func begin(nonces: [UInt8], now: Instant) {
        (self.nonces, ownDigest, theirDigest, hasCredit, answerFrom) = (nonces, nil, nil, false, nil)
        summaries = ComparisonSchedule()
        digests.change(now: now)
    }

    mutating func end() { nonces = nil }

    mutating func tableChanged(now: Instant) {
        ownDigest = nil
        digests.change(now: now)
    }

    // MARK: Digests

    /// Returns the digest of this node's table for this neighbour.
    mutating func digest(of rows: @autoclosure () -> [TableRow], _ table: TableKind, _ sealing: any Sealing) -> UInt64 {
        if let ownDigest { return ownDigest }
        let rows = rows()
        var writer = ByteWriter(capacity: 18 + rows.count * 32)
        writer.u8(table.rawValue)
        // Scope and scope id of the mesh.
        for _ in 0..<17 { writer.u8(0) }
        for row in rows { writer.raw(row.hash) }
        let digest = sealing.keyedHash(writer.bytes, key: nonces ?? []).word(at: 0)
        ownDigest = digest
        return digest
    }

    mutating func digestSent(now: Instant) { digests.sent(now: now) }
    mutating func restDigests() { digests.rest() }

    /// Compares the neighbour's digest with the own one.
    mutating func receive(digest: UInt64, own: UInt64, rtt: Interval, now: Instant) {
        theirDigest = digest
        if own == digest {
            summaries.cancel()
            // The neighbour lacked entries itself, and had none to answer with. What it sends later was not asked for.
            hasCredit = false
        } else {
            summaries.differ(own: own, peer: digest, after: rtt + TableLimits.differenceMin, now: now)
        }
    }

    // MARK: Summaries

    /// Returns the summary that is due; nil if the digests agree by now.
    mutating func dueSummary(
        of rows: [TableRow], _ table: TableKind, _ sealing: any Sealing, now: Instant
    ) -> TableSummary? {
        let own = digest(of: rows, table, sealing)
        guard let theirDigest, own != theirDigest else {
            summaries.cancel()
            return nil
        }
        summaries.sent(own: own, peer: theirDigest, now: now)
        hasCredit = true
        return TableSummary(table, items: rows.map { TableItem(id: $0.id, hash: keyed($0, sealing)) })
    }

    private func keyed(_ row: TableRow, _ sealing: any Sealing) -> UInt64 {
        sealing.keyedHash(row.bytes, key: nonces ?? []).word(at: 0)
    }

    mutating func admitsSummary(now: Instant) -> Bool { answers.take(now: now) }

    /// Returns the entries that a summary lacks or has otherwise, as many as fit into one frame; nil if there are
    /// none.
    mutating func answer(
        _ summary: TableSummary, from rows: [TableRow], _ sealing: any Sealing
    ) -> TableEntries? {
        var lacking: [TableRow] = []
        var cursor = 0
        for row in rows {
            while cursor < summary.items.count, summary.items[cursor].id < row.id { cursor += 1 }
            let isHeld = cursor < summary.items.count && summary.items[cursor].id == row.id
            if !isHeld || summary.items[cursor].hash != keyed(row, sealing) { lacking.append(row) }
        }
        let start = answerFrom.map { from in lacking.sortedIndex { $0.id < from } } ?? 0
        var answer = TableEntries(summary.table, entries: [], hasMore: false)
        var byteCount = 0
        answerFrom = nil
        for row in lacking[start...] + lacking[..<start] {
            byteCount += row.bytes.count
            guard byteCount <= WireLimits.tableEntriesBytesMax else {
                (answer.hasMore, answerFrom) = (true, row.id)
                break
            }
            answer.entries.append(row.bytes)
        }
        return answer.entries.isEmpty ? nil : answer
    }

    // MARK: Entries

    /// Returns how many entries of a frame are admitted, and whether this node had asked for them.
    mutating func admit(_ message: TableEntries, now: Instant) -> (count: Int, isAnswer: Bool) {
        if hasCredit {
            hasCredit = false
            if message.hasMore { summaries.goOn(now: now) }
            return (message.entries.count, true)
        }
        var count = 0
        while count < message.entries.count, pushes.take(now: now) { count += 1 }
        return (count, false)
    }
}

/// When a neighbour is sent the digest of a table: at once after a change and a few times more, then seldom.
struct DigestSchedule {
    private(set) var dueAt: Instant = .distantFuture
    private var repeatsLeft = 0

    /// Whether the digest that is due follows a change, and leaves at once.
    private(set) var isUrgent = false

    mutating func change(now: Instant) { (dueAt, repeatsLeft, isUrgent) = (now, TableLimits.digestRepeats, true) }

    mutating func sent(now: Instant) {
        repeatsLeft = max(0, repeatsLeft - 1)
        isUrgent = false
        dueAt = now + (0 < repeatsLeft ? TableLimits.digestRepeatInterval : TableLimits.digestInterval)
    }

    /// Sends no digest until the next change.
    mutating func rest() { dueAt = .distantFuture }
}
