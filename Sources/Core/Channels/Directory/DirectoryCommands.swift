import Primitives
import Trust
import Wire

/// What a person does with the directory.
package enum DirectoryCommand: Hashable, Sendable {
    case create(ChannelName)
    case delete(ChannelName)
    /// Deletes the first channel and creates the second. Nodes on the first one may follow. If both names mean one
    /// channel, the channel stays and gets the new spelling.
    case rename(ChannelName, to: ChannelName)
}

/// Why a command was not carried out.
package enum DirectoryRefusal: Error, Hashable, Sendable {
    /// The channel exists already.
    case exists
    /// No channel of that name is in the directory.
    case unknown
    /// Another node created the channel, and a neighbour listens to it.
    case inUse
    /// Another node created the channel, so this node cannot change the spelling of its name.
    case notCreator
    /// This node has changed the channel less than `DirectoryLimits.changeInterval` ago.
    case tooSoon
    /// This node has created `DirectoryLimits.liveOfCreatorMax` channels that still exist.
    case full
    /// The new entry would be the first to go, because the share of this node, or the whole directory, is full.
    case noRoom
    /// The name was deleted and created again so often that it can be used no more.
    case wornOut
    /// The shell has not told the time of day.
    case noTime
    /// The channel has a code, so the directory knows nothing of it.
    case hasCode
}

/// Entries that this node signs.
extension ChannelDirectory {
    /// - Parameter isClaim: whether no person has ordered it: this node uses the name.
    mutating func create(_ name: ChannelName, isClaim: Bool = false, now: Instant) throws(DirectoryRefusal) {
        var birth = try birth(of: name, ownLiveCount: table.liveCount(of: sealing.publicKey), now: now)
        birth.isClaim = isClaim
        try publish([entry(bornAs: birth)], now: now)
    }

    mutating func delete(_ name: ChannelName, now: Instant) throws(DirectoryRefusal) {
        let entry = try deletable(name, now: now)
        let state = try state(after: entry, .deleted(now: nil), now: now)
        try publish([entry.signed.changed(to: state, in: mesh, with: sealing)], now: now)
    }

    /// Deletes one channel and creates the other. Nothing is changed if either is refused.
    mutating func rename(_ name: ChannelName, to newName: ChannelName, now: Instant) throws(DirectoryRefusal) {
        let entry = try deletable(name, now: now)
        guard id(of: newName) != entry.channel else { return try respell(entry, newName, now: now) }
        let ownLiveCount = table.liveCount(of: sealing.publicKey) - (entry.creator == sealing.publicKey ? 1 : 0)
        let birth = try birth(of: newName, ownLiveCount: ownLiveCount, now: now)
        var state = try state(after: entry, .deleted(now: birth.channel), now: now)
        state.birthEpochNow = birth.epoch
        let deletion = entry.signed.changed(to: state, in: mesh, with: sealing)
        try publish([deletion, self.entry(bornAs: birth)], now: now)
    }

    /// Gives a channel of this node another spelling of its name: a new birth with that spelling, which ranks before
    /// the known one. Another node would become the creator by it.
    private mutating func respell(
        _ entry: DirectoryEntry, _ name: ChannelName, now: Instant
    ) throws(DirectoryRefusal) {
        guard entry.name.string != name.text.string else { throw .exists }
        guard entry.creator == sealing.publicKey else { throw .notCreator }
        let birth = ChannelBirth(
            channel: entry.channel, epoch: try epoch(after: entry), created: entry.created,
            creator: sealing.publicKey, name: name.text)
        try publish([self.entry(bornAs: birth)], now: now)
    }

    /// Makes a channel live again that another node than its creator has deleted. If that is refused, the shell is
    /// told.
    mutating func takeBack(_ channel: ChannelID, now: Instant) {
        guard let entry = table[channel], !entry.isLive, !entry.isDeletedByCreator, listeners.own.contains(channel)
        else { return }
        do throws(DirectoryRefusal) {
            let state = try state(after: entry, .live, now: now)
            try publish([entry.signed.changed(to: state, in: mesh, with: sealing)], now: now)
            effects.count(.deletionsTakenBack)
        } catch { effects.output(.notTakenBack(channel, name: entry.name, error)) }
    }

    // MARK: Births

    /// Returns the birth of a channel that does not exist.
    /// - Parameter ownLiveCount: the channels of this node that exist.
    private func birth(
        of name: ChannelName, ownLiveCount: Int, now: Instant
    ) throws(DirectoryRefusal) -> ChannelBirth {
        guard !name.hasCode else { throw .hasCode }
        let channel = id(of: name)
        let known = table[channel]
        if let known, known.isLive { throw .exists }
        guard ownLiveCount < DirectoryLimits.liveOfCreatorMax else { throw .full }
        guard changes.allowedAt(channel, now: now) <= now else { throw .tooSoon }
        guard let created = wallClock.seconds(now: now) else { throw .noTime }
        return ChannelBirth(
            channel: channel, epoch: try known.map(epoch(after:)) ?? 0, created: created, creator: sealing.publicKey,
            name: name.text)
    }

    /// Returns the epoch of a birth that ranks before everything of the known entry. It is the entry's and one more, or
    /// the last one that there is.
    private func epoch(after entry: DirectoryEntry) throws(DirectoryRefusal) -> UInt16 {
        let epoch = min(entry.signed.state.epoch + 1, WireLimits.channelEpochMax)
        guard entry.signed.birth.epoch < epoch else { throw .wornOut }
        return epoch
    }

    private func entry(bornAs birth: ChannelBirth) -> SignedChannelEntry {
        let state = ChannelState(
            epoch: birth.epoch, version: 1, form: .live, flags: [], changed: birth.created, editor: sealing.publicKey)
        return SignedChannelEntry(birth: birth, state: state, in: mesh, with: sealing)
    }

    // MARK: Changes

    /// Returns the entry of a channel that this node may delete now.
    private func deletable(_ name: ChannelName, now: Instant) throws(DirectoryRefusal) -> DirectoryEntry {
        guard !name.hasCode else { throw .hasCode }
        let channel = id(of: name)
        guard let entry = table[channel], entry.isLive else { throw .unknown }
        let isCreator = entry.creator == sealing.publicKey
        guard isCreator || !listeners.neighbourListens(to: channel) else { throw .inUse }
        guard changes.allowedAt(channel, now: now) <= now else { throw .tooSoon }
        return entry
    }

    /// Returns a state that ranks before the known one.
    ///
    /// Within an epoch the creator ranks before anybody else. So another node opens a new epoch, and the creator needs
    /// none. The creator opens one when its versions are used up.
    private func state(
        after entry: DirectoryEntry, _ form: ChannelState.Form, now: Instant
    ) throws(DirectoryRefusal) -> ChannelState {
        guard let wall = wallClock.seconds(now: now) else { throw .noTime }
        let known = entry.signed.state
        // A clock that is far behind would make a tombstone that others take for expired. So the time is at least that
        // of the creation, and after that of a state by the creator. The time of another editor does not count: it may
        // lie so far ahead that the tombstone never expires.
        let after = entry.signed.isByCreator ? min(known.changed + 1, 1 << WireLimits.timeBits - 1) : 0
        let changed = max(wall, max(entry.created, after))
        var state = ChannelState(
            epoch: known.epoch, version: 1, form: form, flags: known.flags, changed: changed,
            editor: sealing.publicKey)
        let isCreator = entry.creator == sealing.publicKey
        if isCreator, entry.signed.isByCreator, known.version < WireLimits.channelVersionMax {
            state.version = known.version + 1
        } else if !isCreator || entry.signed.isByCreator {
            guard known.epoch < WireLimits.channelEpochMax else { throw .wornOut }
            state.epoch = known.epoch + 1
        }
        return state
    }

    /// Stores entries that this node has just signed, and sends them to the neighbours. Nothing is changed if one of
    /// them has no room.
    private mutating func publish(_ signed: [SignedChannelEntry], now: Instant) throws(DirectoryRefusal) {
        let entries = signed.map { DirectoryEntry($0, sealing: sealing) }
        guard table.keeps(entries) else { throw .noRoom }
        for entry in entries {
            changes.add(entry.channel, now: now)
            if put(entry) { push(entry) }
        }
    }
}

/// What this node has changed lately, and what it is about to change. It changes one channel at most once in
/// `DirectoryLimits.changeInterval`.
struct OwnChanges {
    /// A name that this node uses, and when it makes the entry.
    struct Claim {
        var name: ChannelName
        var at: Instant
    }

    private var changes: [(channel: ChannelID, at: Instant)] = []
    private(set) var claims: [Claim] = []
    /// Channels that this node takes back as soon as it may.
    private(set) var takeBacks: [ChannelID] = []
    private var random: SeededRandom

    init(random: SeededRandom) { self.random = random }

    mutating func add(_ channel: ChannelID, now: Instant) {
        changes.removeAll { $0.channel == channel || $0.at + DirectoryLimits.changeInterval <= now }
        if changes.count == DirectoryLimits.ownChangesMax { changes.removeFirst() }
        changes.append((channel, now))
    }

    /// Returns when this node may change the channel: `now` or later.
    func allowedAt(_ channel: ChannelID, now: Instant) -> Instant {
        guard let last = changes.first(where: { $0.channel == channel }) else { return now }
        return max(now, last.at + DirectoryLimits.changeInterval)
    }

    mutating func claim(_ name: ChannelName, now: Instant) {
        guard claims.count < DirectoryLimits.pendingMax, !claims.contains(where: { $0.name == name }) else { return }
        claims.append(Claim(name: name, at: now + random.interval(in: DirectoryLimits.claimDelay)))
    }

    /// Returns the claims that are due, and forgets them.
    mutating func dueClaims(now: Instant) -> [ChannelName] {
        let due = claims.filter { $0.at <= now }.map(\.name)
        if !due.isEmpty { claims.removeAll { $0.at <= now } }
        return due
    }

    mutating func takeBack(_ channel: ChannelID) {
        guard takeBacks.count < DirectoryLimits.pendingMax, !takeBacks.contains(channel) else { return }
        takeBacks.append(channel)
    }

    mutating func dueTakeBacks(now: Instant) -> [ChannelID] {
        let due = takeBacks.filter { allowedAt($0, now: now) <= now }
        if !due.isEmpty { takeBacks.removeAll(where: due.contains) }
        return due
    }

    func dueAt(now: Instant) -> Instant {
        let claimAt = claims.reduce(Instant.distantFuture) { min($0, $1.at) }
        return takeBacks.reduce(claimAt) { min($0, allowedAt($1, now: now)) }
    }
}
