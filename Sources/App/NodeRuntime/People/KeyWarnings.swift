package import Primitives
package import StateStore

/// Decides when people are warned of the key of a linked peer, and when its name is written. A peer may change its name
/// 50 times a second. That causes one event and one write to the disk in `pause` at most.
///
///     name changes ─┬─ a new warning, and none in the last `pause` ──▶ tell now
///                   └─ planCheck ──▶ after `pause`, once for all changes: write the name, tell a withheld warning
///
/// A value without a clock; its memory is bounded.
package struct KeyWarnings {
    /// A warning about the key of a peer.
    package struct Warning: Hashable, Sendable {
        /// The look of its name (`NameLook`).
        var look: String
        /// The key that had the name before.
        var rival: NodeID
        /// The person's decision about the key; nil if the key is not known.
        var trust: KeyTrust?

        package init(look: String, rival: NodeID, trust: KeyTrust?) {
            (self.look, self.rival, self.trust) = (look, rival, trust)
        }
    }

    /// The next action for a warning.
    package enum Verdict: Hashable, Sendable {
        case tell
        /// Plan a check: the warning is new, but another one was told less than `pause` ago.
        case withhold
        /// There is no warning, or it has been told.
        case nothing
    }

    private struct Entry {
        var told: Warning?
        var toldAt: Instant?
        var checkedAt: Instant?
        var isPlanned = false

        /// The time of the last warning or check.
        var latest: Instant { max(toldAt ?? .zero, checkedAt ?? .zero) }
    }

    /// The shortest time between two warnings, or two writes, of one key.
    package static let pause = Interval.seconds(10)
    /// Twice as many keys as there are peers. A further key replaces the one with the oldest warning or check.
    package static let countMax = 2 * MeshScale.peersMax

    private var entries: [NodeID: Entry] = [:]

    package init() {}

    /// The number of keys in memory.
    package var count: Int { entries.count }

    /// Decides whether people are told a warning about a linked peer. Call it whenever the peer's name changes.
    /// - Parameter warning: nil if there is nothing to warn of.
    package mutating func judge(_ warning: Warning?, of node: NodeID, now: Instant) -> Verdict {
        var entry = entries[node] ?? Entry()
        guard warning != entry.told else { return .nothing }
        if let toldAt = entry.toldAt, now < toldAt + KeyWarnings.pause { return warning == nil ? .nothing : .withhold }
        entry.told = warning
        if warning != nil { entry.toldAt = now }
        put(entry, of: node)
        return warning == nil ? .nothing : .tell
    }

    /// Returns the time of the next check of a peer's key; nil if a check is planned already.
    package mutating func planCheck(of node: NodeID, now: Instant) -> Instant? {
        var entry = entries[node] ?? Entry()
        guard !entry.isPlanned else { return nil }
        entry.isPlanned = true
        let isFirst = entry.toldAt == nil && entry.checkedAt == nil
        put(entry, of: node)
        return isFirst ? now : max(now, entry.latest + KeyWarnings.pause)
    }

    /// The planned check takes place now.
    package mutating func beginCheck(of node: NodeID, now: Instant) {
        var entry = entries[node] ?? Entry()
        (entry.isPlanned, entry.checkedAt) = (false, now)
        put(entry, of: node)
    }

    private mutating func put(_ entry: Entry, of node: NodeID) {
        if entries[node] == nil, KeyWarnings.countMax <= entries.count,
            let oldest = entries.min(by: { ($0.value.latest, $0.key) < ($1.value.latest, $1.key) })
        {
            entries[oldest.key] = nil
        }
        entries[node] = entry
    }
}
