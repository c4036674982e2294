package import Primitives
import Wire

/// The entries of all channels, each channel once. Merging commutes and is idempotent: nodes that have seen the same
/// entries, in any order, keep the same ones, as long as no bound is reached.
package struct DirectoryTable {
    /// In ascending order of their ids.
    package private(set) var entries: [DirectoryEntry] = []

    package init() {}

    package var rows: [TableRow] { entries.map(\.row) }

    package subscript(channel: ChannelID) -> DirectoryEntry? {
        let index = place(of: channel)
        return index < entries.count && entries[index].channel == channel ? entries[index] : nil
    }

    private func place(of channel: ChannelID) -> Int { entries.sortedIndex { $0.channel < channel } }

    /// Whether all these entries stand once they are merged.
    func keeps(_ new: [DirectoryEntry]) -> Bool {
        var table = self
        for entry in new { _ = table.merge(entry) }
        return new.allSatisfy { table[$0.channel] == $0 }
    }

    /// What `merge` has done. `removed` had to go because of a bound.
    package struct Merge: Equatable {
        package var isStored: Bool
        package var removed: [ChannelID]

        package init(isStored: Bool, removed: [ChannelID]) {
            self.isStored = isStored
            self.removed = removed
        }
    }

    /// Stores an entry if it stands against the one that is known.
    package mutating func merge(_ entry: DirectoryEntry) -> Merge {
        let index = place(of: entry.channel)
        if index < entries.count, entries[index].channel == entry.channel {
            guard entry.outranks(entries[index]) else { return Merge(isStored: false, removed: []) }
            entries[index] = entry
        } else {
            entries.insert(entry, at: index)
        }
        var removed: [ChannelID] = []
        let limit = entry.isLive ? DirectoryLimits.liveOfCreatorMax : DirectoryLimits.tombstonesOfCreatorMax
        let alike = { (other: DirectoryEntry) in other.creator == entry.creator && other.isLive == entry.isLive }
        while limit < entries.count(where: alike) { removeFirst(where: alike, &removed) }
        while WireLimits.tableEntriesMax < entries.count {
            let creator = largestCreator()
            removeFirst(where: { $0.creator == creator }, &removed)
        }
        return Merge(isStored: !removed.contains(entry.channel), removed: removed)
    }

    /// Removes the entry that goes before all others for which `matches` is true.
    private mutating func removeFirst(where matches: (DirectoryEntry) -> Bool, _ removed: inout [ChannelID]) {
        var first: Int?
        for index in entries.indices where matches(entries[index]) {
            if first.map({ entries[index].goesBefore(entries[$0]) }) ?? true { first = index }
        }
        guard let first else { return }
        removed.append(entries[first].channel)
        entries.remove(at: first)
    }

    /// Returns the creator of most entries; of equal ones, the one with the greatest key.
    private func largestCreator() -> [UInt8] {
        let creators = entries.map(\.creator).sorted { $0.lexicographicallyPrecedes($1) }
        var (best, bestCount, start) = ([UInt8](), 0, 0)
        for index in creators.indices where index + 1 == creators.count || creators[index + 1] != creators[index] {
            if bestCount <= index + 1 - start { (best, bestCount) = (creators[index], index + 1 - start) }
            start = index + 1
        }
        return best
    }

    // MARK: Expiry

    /// Removes the tombstones that are too old, and returns their channels.
    package mutating func removeExpired(wallSeconds: UInt64) -> [ChannelID] {
        let expired = entries.filter { $0.expiresAt.map { $0 <= wallSeconds } ?? false }.map(\.channel)
        if !expired.isEmpty { entries.removeAll { $0.expiresAt.map { $0 <= wallSeconds } ?? false } }
        return expired
    }

    /// When the next tombstone goes, in seconds since 1970.
    var nextExpiry: UInt64? { entries.compactMap(\.expiresAt).min() }

    func liveCount(of creator: [UInt8]) -> Int { entries.count { $0.isLive && $0.creator == creator } }
}
