import Primitives

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
