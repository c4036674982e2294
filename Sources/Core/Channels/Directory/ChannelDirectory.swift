package import Primitives
package import Trust
import Wire

/// The channel directory of one node: a table that is the same on all nodes of a mesh (docs/WIRE.md, "Directory").
///
/// The node calls `handle` or `perform`, then takes `nextOutput()` until nil, and calls again at `nextDeadline`. Equal
/// seed and inputs always give equal outputs.
///
///     entry of a neighbour ─► receive ─► wait for checks ─► accept: id, order, signatures ─► put ─┬─► store, event
///     command of a person ──► perform ─► sign ──────────────────────────────────────────────────┘ └─► push, digests
///     foreign deletion of a channel that this node listens to ─► take back
///
package struct ChannelDirectory {
    let mesh: MeshID
    let sealing: any Sealing
    package internal(set) var table = DirectoryTable()
    var exchange: TableExchange
    var arrivals = ArrivingEntries()
    var listeners = ListenerLists()
    var firstCreators = FirstCreators()
    var changes: OwnChanges
    var wallClock = WallClock()
    var effects = DirectoryEffects()
    /// Whether the table has changed since the neighbours' digests were last made due.
    var hasChanged = false
    package private(set) var nextDeadline: Instant = .distantFuture

    /// - Parameter seed: seeds random waits, never keys.
    package init(mesh: MeshID, sealing: any Sealing, seed: UInt64) {
        self.mesh = mesh
        self.sealing = sealing
        exchange = TableExchange(.directory, sealing: sealing)
        changes = OwnChanges(random: SeededRandom(seed: seed))
    }

    package var counters: Counters<DirectoryCounter> { effects.counters }

    /// The node that created a channel.
    package func creator(of entry: DirectoryEntry) -> NodeID {
        guard let creator = sealing.nodeID(ofPublicKey: entry.creator) else {
            illegal("a creator's key of \(entry.creator.count) bytes", in: "a parsed entry")
        }
        return creator
    }

    // Mutating, because it runs after every input of the node: this value is read in place and not copied.
    package var hasOutputs: Bool { mutating get { !effects.isEmpty } }
    package mutating func nextOutput() -> DirectoryOutput? { effects.popFirst() }

    package mutating func handle(_ input: DirectoryInput, now: Instant) {
        switch input {
        case .deadline: break
        case .wallClock(let seconds): wallClock.set(min(seconds, 1 << WireLimits.timeBits - 1), now: now)
        case .sessionBegan(let slot, let node, let nonces): exchange.begin(slot, node, nonces: nonces, now: now)
        case .peerDown(let slot):
            exchange.end(slot)
            listeners.forget(slot)
        case .peerListens(let slot, let channels): listeners.set(channels, of: slot)
        case .listens(let channels): listeners.own = channels
        case .claim(let name):
            if table[id(of: name)] == nil { changes.claim(name, now: now) }
        case .digests(let digests, let slot, let rtt):
            for digest in digests where digest.table == exchange.table {
                exchange.receive(digest.digest, from: slot, rtt: rtt, table.rows, now: now)
            }
        case .message(.summary(let summary), let slot): answer(summary, from: slot, now: now)
        case .message(.entries(let message), let slot): receive(message, from: slot, now: now)
        case .stored(let channel, let bytes): restore(bytes, of: channel, now: now)
        }
        settle(now: now)
    }

    /// Carries out a person's command.
    /// - Throws: the `DirectoryRefusal` that says why it was not carried out.
    package mutating func perform(_ command: DirectoryCommand, now: Instant) throws(DirectoryRefusal) {
        switch command {
        case .create(let name): try create(name, now: now)
        case .delete(let name): try delete(name, now: now)
        case .rename(let name, let newName): try rename(name, to: newName, now: now)
        }
        settle(now: now)
    }

    /// Does what is due, and computes the next deadline.
    private mutating func settle(now: Instant) {
        acceptArrivals(now: now)
        removeExpired(now: now)
        for name in changes.dueClaims(now: now) where table[id(of: name)] == nil {
            do throws(DirectoryRefusal) {
                try create(name, isClaim: true, now: now)
            } catch {
                effects.count(.claimsRefused)
            }
        }
        for channel in changes.dueTakeBacks(now: now) { takeBack(channel, now: now) }
        // After the last entry of a frame, so that not every entry causes a digest to every neighbour.
        if hasChanged, arrivals.isEmpty {
            hasChanged = false
            exchange.tableChanged(now: now)
        }
        if exchange.dueAt <= now { sendDue(now: now) }
        let expiry = table.nextExpiry.map { wallClock.instant(of: $0, now: now) } ?? .distantFuture
        nextDeadline = min(min(exchange.dueAt, arrivals.dueAt), min(changes.dueAt(now: now), expiry))
    }

    /// Returns the channel that a deleted one was renamed to, over further renamings; nil if this node follows none, or
    /// does not know the last one yet. That one may be deleted itself: the other nodes are on it all the same.
    package func successor(of channel: ChannelID) -> ChannelID? {
        guard var entry = table[channel] else { return nil }
        var creator = firstCreators[channel]
        for _ in 0...DirectoryLimits.renamingsFollowedMax {
            guard isRenamed(entry, by: creator) else { return entry.channel == channel ? nil : entry.channel }
            guard let next = renamed(entry) else { return nil }
            // A node that was away may know no first creator of a channel that was renamed meanwhile. A renaming
            // creates the new channel, so the node that has signed the renaming is the creator of that channel.
            creator = firstCreators[next.channel] ?? entry.signed.state.editor
            entry = next
        }
        return nil
    }

    /// Returns the channel to which the renaming of a deleted one leads, over further renamings, by any node; nil if
    /// there is none. It is for people: a person may follow where the node does not.
    package func namedSuccessor(of channel: ChannelID) -> DirectoryEntry? {
        guard var entry = table[channel] else { return nil }
        for _ in 0...DirectoryLimits.renamingsFollowedMax {
            guard case .deleted(.some) = entry.signed.state.form else { return entry.channel == channel ? nil : entry }
            guard let next = renamed(entry) else { return nil }
            entry = next
        }
        return nil
    }

    /// Returns the entry of the channel that a renaming leads to; nil if this node does not hold it yet. Where the name
    /// was used before, an entry of a lower birth epoch is that of the former channel.
    private func renamed(_ entry: DirectoryEntry) -> DirectoryEntry? {
        guard case .deleted(let now?) = entry.signed.state.form, let next = table[now] else { return nil }
        return (entry.signed.state.birthEpochNow ?? 0) <= next.signed.birth.epoch ? next : nil
    }

    /// Whether this node follows the renaming of a channel, once the new channel exists. This node does so if it has
    /// renamed the channel itself, or if the channel's first creator has. A deletion by any other node is taken back by
    /// the nodes that listen to the channel; and a birth by another creator may be that of a member that has taken over
    /// the name.
    package func followsRenaming(of channel: ChannelID) -> Bool {
        table[channel].map { isRenamed($0, by: firstCreators[channel]) } ?? false
    }

    private func isRenamed(_ entry: DirectoryEntry, by creator: [UInt8]?) -> Bool {
        guard case .deleted(.some) = entry.signed.state.form else { return false }
        return entry.isDeletedByCreator && entry.creator == creator || entry.signed.state.editor == sealing.publicKey
    }

    /// The id of the channel of this name, whether it exists or not.
    package func id(of name: ChannelName) -> ChannelID { ChannelID(of: name, in: mesh, sealing: sealing) }
}

/// Who listens to which channels, as far as this node knows.
struct ListenerLists {
    /// The channels that this node listens to.
    var own: [ChannelID] = []
    /// By slot.
    private var neighbours: [[ChannelID]] = []

    mutating func set(_ channels: [ChannelID], of slot: PeerSlot) {
        while neighbours.count <= slot.index { neighbours.append([]) }
        neighbours[slot.index] = channels
    }

    mutating func forget(_ slot: PeerSlot) {
        if slot.index < neighbours.count { neighbours[slot.index] = [] }
    }

    func neighbourListens(to channel: ChannelID) -> Bool { neighbours.contains { $0.contains(channel) } }
}

/// The time of day as the shell told it: seconds since 1970 at an instant. Core reads no clock.
struct WallClock {
    private var seconds: UInt64?
    private var setAt = Instant.zero

    mutating func set(_ seconds: UInt64, now: Instant) { (self.seconds, setAt) = (seconds, now) }

    /// Seconds since 1970; nil before the shell has told the time.
    func seconds(now: Instant) -> UInt64? {
        guard let seconds, setAt <= now else { return seconds }
        return seconds &+ UInt64((now - setAt).milliseconds / 1_000)
    }

    /// Returns the instant at which the wall clock will show `seconds`.
    func instant(of seconds: UInt64, now: Instant) -> Instant {
        guard let wall = self.seconds(now: now) else { return .distantFuture }
        guard wall < seconds else { return now }
        return now + .seconds(Int64(clamping: min(seconds - wall, DirectoryLimits.tombstoneSeconds)) + 1)
    }
}
