import Primitives
import Trust
import Wire

/// The comparison with neighbours, and entries as they arrive.
extension ChannelDirectory {
    mutating func sendDue(now: Instant) {
        for due in exchange.run(table.rows, now: now) {
            switch due {
            case .digest(let digest, let slot, let isUrgent):
                effects.output(.sendDigest(digest, to: slot, isUrgent: isUrgent))
            case .summary(let summary, let slot):
                effects.count(.summariesSent)
                effects.output(.send(.summary(summary), to: slot))
            }
        }
    }

    mutating func answer(_ summary: TableSummary, from slot: PeerSlot, now: Instant) {
        guard summary.table == exchange.table else { return }
        switch exchange.answer(summary, from: slot, table.rows, now: now) {
        case .entries(let entries): effects.output(.send(.entries(entries), to: slot))
        case .nothing: break
        case .overRate: effects.count(.summariesOverRate)
        }
    }

    /// Queues the entries of a frame for their checks, as far as the neighbour's allowance goes.
    mutating func receive(_ message: TableEntries, from slot: PeerSlot, now: Instant) {
        guard message.table == exchange.table else { return }
        let admitted = exchange.admit(message, from: slot, now: now)
        effects.count(.entriesOverRate, by: message.entries.count - admitted.count)
        for bytes in message.entries.prefix(admitted.count) {
            let arrival = ArrivingEntries.Arrival(bytes: bytes, sender: slot, isAnswer: admitted.isAnswer)
            if !arrivals.append(arrival) { effects.count(.entriesOverRate) }
        }
    }

    mutating func acceptArrivals(now: Instant) {
        for arrival in arrivals.takeBatch(now: now) { accept(arrival, now: now) }
    }

    private mutating func accept(_ arrival: ArrivingEntries.Arrival, now: Instant) {
        guard let entry = checked(arrival.bytes, now: now) else { return }
        let isForeignDeletion = !entry.isLive && !entry.isDeletedByCreator
        guard put(entry) else { return }
        effects.count(.entriesTaken)
        if !arrival.isAnswer { push(entry, except: arrival.sender) }
        if isForeignDeletion, listeners.own.contains(entry.channel) { changes.takeBack(entry.channel) }
    }

    /// Takes an entry that the shell has kept. It is checked as one from a neighbour is: a file may be damaged.
    mutating func restore(_ bytes: [UInt8], of channel: ChannelID, now: Instant) {
        guard let entry = checked(FirstCreators.entryBytes(in: bytes), now: now), entry.channel == channel else {
            if table[channel] == nil { effects.output(.forget(channel)) }
            return
        }
        let merge = table.merge(entry)
        for channel in merge.removed { forget(channel) }
        guard merge.isStored else { return }
        firstCreators.restore(entry, from: bytes)
        hasChanged = true
    }

    /// Returns an entry that can stand; nil if it is bad, too old, or ranks behind the known one. Signatures are
    /// checked last, because they cost most.
    private mutating func checked(_ bytes: [UInt8], now: Instant) -> DirectoryEntry? {
        guard let signed = try? SignedChannelEntry(parsing: bytes),
            let name = ChannelName(signed.birth.name.string), id(of: name) == signed.birth.channel
        else {
            effects.count(.entriesRefused)
            return nil
        }
        let entry = DirectoryEntry(signed, sealing: sealing)
        if let expiresAt = entry.expiresAt, let wall = wallClock.seconds(now: now), expiresAt <= wall {
            effects.count(.entriesExpired)
            return nil
        }
        let known = table[entry.channel]
        if let known, !entry.outranks(known) { return nil }
        guard signed.isGenuine(in: mesh, known: known?.signed, with: sealing) else {
            effects.count(.entriesRefused)
            return nil
        }
        return entry
    }

    // MARK: Storing

    /// Stores an entry, and tells the shell. Returns false if the known one ranks before it, or a bound forbids it.
    ///
    /// A claim of this node names no first creator. Another node that uses the name, too, becomes the first creator if
    /// its claim ranks before this one.
    mutating func put(_ entry: DirectoryEntry) -> Bool {
        let before = table[entry.channel]
        let merge = table.merge(entry)
        effects.count(.entriesDisplaced, by: merge.removed.count)
        for channel in merge.removed { forget(channel) }
        hasChanged = hasChanged || merge.isStored || !merge.removed.isEmpty
        guard merge.isStored else { return false }
        let isOwnClaim = entry.isClaim && entry.creator == sealing.publicKey
        if !isOwnClaim { firstCreators.update(with: entry, after: before) }
        effects.output(.store(entry.channel, firstCreators.kept(entry)))
        if let event = event(entry, after: before) { effects.output(.event(event)) }
        return true
    }

    private mutating func forget(_ channel: ChannelID) {
        firstCreators.forget(channel)
        effects.output(.forget(channel))
    }

    private func event(_ entry: DirectoryEntry, after before: DirectoryEntry?) -> DirectoryEvent? {
        // The deletion of a channel that this node uses is news, also if the node held no entry of it.
        let wasLive = before?.isLive ?? (!entry.isLive && listeners.own.contains(entry.channel))
        guard wasLive != entry.isLive else {
            guard let before, entry.isLive, before.signed.birth.epoch < entry.signed.birth.epoch else { return nil }
            return before.creator == entry.creator && before.name != entry.name
                ? .respelled(entry.channel, from: before.name, to: entry.name, by: creator(of: entry))
                : .replaced(entry.channel, name: entry.name, creator: creator(of: entry))
        }
        switch entry.signed.state.form {
        case .live:
            return sealing.nodeID(ofPublicKey: entry.creator).map {
                .created(entry.channel, name: entry.name, creator: $0)
            }
        case .deleted(let now):
            return sealing.nodeID(ofPublicKey: entry.signed.state.editor).map {
                .deleted(entry.channel, name: entry.name, by: $0, now: now)
            }
        }
    }

    /// Sends a new entry to the neighbours.
    mutating func push(_ entry: DirectoryEntry, except sender: PeerSlot? = nil) {
        let message = TableEntries(exchange.table, entries: [entry.signed.bytes], hasMore: false)
        for slot in exchange.linked(except: sender) { effects.output(.send(.entries(message), to: slot)) }
    }

    mutating func removeExpired(now: Instant) {
        guard let wall = wallClock.seconds(now: now), let expiry = table.nextExpiry, expiry <= wall else { return }
        for channel in table.removeExpired(wallSeconds: wall) { forget(channel) }
        hasChanged = true
    }
}

/// Entries of neighbours that wait for the check of their signatures. A few are checked at a time, so that voice does
/// not wait for the checks of a whole frame.
struct ArrivingEntries {
    struct Arrival {
        var bytes: [UInt8]
        var sender: PeerSlot
        /// Whether this node had asked for the entry. An entry that it had not asked for is passed on.
        var isAnswer: Bool
    }

    private var queue = BoundedQueue<Arrival>(capacity: TableLimits.arrivalsMax)
    private var nextAt = Instant.zero

    var isEmpty: Bool { queue.isEmpty }
    /// When the next entries may be checked.
    var dueAt: Instant { queue.isEmpty ? .distantFuture : nextAt }

    /// Appends an entry; returns false if there is no room.
    mutating func append(_ arrival: Arrival) -> Bool { queue.appendOrRefuse(arrival) }

    /// Returns the entries that are checked next, if a check is due.
    mutating func takeBatch(now: Instant) -> [Arrival] {
        guard dueAt <= now else { return [] }
        nextAt = now + TableLimits.checkInterval
        var batch: [Arrival] = []
        while batch.count < TableLimits.checksAtOnce, let next = queue.popFirst() { batch.append(next) }
        return batch
    }
}
