package import Primitives
package import StateStore

/// When people are told of the key of a linked peer, and when its name is written. A peer may change its name 50 times
/// a second; an event and a row on the disk come of that at most once in `pause` each.
///
///     name changes ─┬─ a new warning, none in the last `pause` ──▶ tell now
///                   └─ plan ──▶ when `pause` is over, once for all changes: write the name, tell what was withheld
///
/// A value without a clock; its memory is bounded.
package struct KeyNews {
    /// What people are told of a key.
    package struct Warning: Hashable, Sendable {
        /// The look of its name (`NameLook`).
        var look: String
        /// The key that had the name before.
        var rival: NodeID
        /// What the person thinks of the key; nil if it is not known.
        var trust: KeyTrust?

        package init(look: String, rival: NodeID, trust: KeyTrust?) {
            (self.look, self.rival, self.trust) = (look, rival, trust)
        }
    }

    /// What to do with a warning.
    package enum Verdict: Hashable, Sendable {
        case tell
        /// Plan a look: it is new, but another one was told a moment ago.
        case withhold
        /// There is none, or it is told already.
        case nothing
    }

    private struct Entry {
        var told: Warning?
        var toldAt: Instant?
        var lookedAt: Instant?
        var isPlanned = false

        /// When it was told of, or looked at, for the last time.
        var latest: Instant { max(toldAt ?? .zero, lookedAt ?? .zero) }
    }

    /// The shortest time between two warnings, or two writes, of one key.
    package static let pause = Interval.seconds(10)
    /// Twice as many as there are peers. A further one replaces the key that was told of, or looked at, first.
    package static let countMax = 2 * MeshScale.peersMax

    private var entries: [NodeID: Entry] = [:]

    package init() {}

    /// The number of keys in memory.
    package var count: Int { entries.count }

    /// Whether to tell people of what is seen now of the key of a linked peer. Call it whenever its name changes.
    package mutating func weigh(_ warning: Warning?, of node: NodeID, now: Instant) -> Verdict {
        var entry = entries[node] ?? Entry()
        guard warning != entry.told else { return .nothing }
        if let toldAt = entry.toldAt, now < toldAt + KeyNews.pause { return warning == nil ? .nothing : .withhold }
        entry.told = warning
        if warning != nil { entry.toldAt = now }
        put(entry, of: node)
        return warning == nil ? .nothing : .tell
    }

    /// Returns when to look at the key of a peer; nil if a look is planned already.
    package mutating func plan(_ node: NodeID, now: Instant) -> Instant? {
        var entry = entries[node] ?? Entry()
        guard !entry.isPlanned else { return nil }
        entry.isPlanned = true
        let isFirst = entry.toldAt == nil && entry.lookedAt == nil
        put(entry, of: node)
        return isFirst ? now : max(now, entry.latest + KeyNews.pause)
    }

    /// The planned look takes place.
    package mutating func look(_ node: NodeID, now: Instant) {
        var entry = entries[node] ?? Entry()
        (entry.isPlanned, entry.lookedAt) = (false, now)
        put(entry, of: node)
    }

    private mutating func put(_ entry: Entry, of node: NodeID) {
        if entries[node] == nil, KeyNews.countMax <= entries.count,
            let oldest = entries.min(by: { ($0.value.latest, $0.key) < ($1.value.latest, $1.key) })
        {
            entries[oldest.key] = nil
        }
        entries[node] = entry
    }
}
