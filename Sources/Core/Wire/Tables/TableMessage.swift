package import Primitives

/// A frame by which two nodes make a table equal (docs/WIRE.md, "Replicated tables").
package enum TableMessage: Hashable, Sendable {
    /// What the sender has. The receiver answers with the entries that the sender lacks or has otherwise.
    case summary(TableSummary)
    case entries(TableEntries)
}

/// All entries of a table, each by its id and a keyed hash.
package struct TableSummary: Hashable, Sendable {
    package var table: TableKind
    /// In ascending order of their ids, each id once; at most `WireLimits.tableEntriesMax`.
    package var items: [TableItem]
    package init(_ table: TableKind, items: [TableItem]) {
        self.table = table
        self.items = items
    }
}

package struct TableItem: Hashable, Sendable {
    package var id: TableEntryID
    /// Hash of the entry, keyed by the session of the two nodes.
    package var hash: UInt64
    package init(id: TableEntryID, hash: UInt64) {
        self.id = id
        self.hash = hash
    }
}

/// Entries of a table: the answer to a summary, or new ones.
package struct TableEntries: Hashable, Sendable {
    package var table: TableKind
    /// The entries as they are signed, at most `WireLimits.tableEntriesBytesMax` in all.
    package var entries: [[UInt8]]
    /// Whether the sender has more that the summary lacks.
    package var hasMore: Bool
    package init(_ table: TableKind, entries: [[UInt8]], hasMore: Bool) {
        self.table = table
        self.entries = entries
        self.hasMore = hasMore
    }
}

/// The id of an entry: 24 bytes, as three big-endian words.
package struct TableEntryID: Hashable, Comparable, Sendable {
    package let words: (UInt64, UInt64, UInt64)

    package init(words: (UInt64, UInt64, UInt64)) { self.words = words }

    /// The id of a channel's entry in the directory.
    package init(_ channel: ChannelID) { words = (channel.high, channel.low, 0) }

    package static func == (a: TableEntryID, b: TableEntryID) -> Bool { a.words == b.words }
    package static func < (a: TableEntryID, b: TableEntryID) -> Bool { a.words < b.words }
    package func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
        hasher.combine(words.2)
    }
}
