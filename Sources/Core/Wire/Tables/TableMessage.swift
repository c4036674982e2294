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

/// A replicated table: all nodes of a mesh have the same entries in it (docs/WIRE.md, "Replicated tables"). The raw
/// value is its number on the wire.
package enum TableKind: UInt8, CaseIterable, Sendable {
    /// The names of the channels, with their creators.
    case directory = 3
}

/// The digest of one table, as a node sends it to a neighbour. Both compute it with a key of their session, so that
/// nobody can look for two tables of one digest.
package struct TableDigest: Hashable, Sendable {
    package var table: TableKind
    package var digest: UInt64
    package init(_ table: TableKind, digest: UInt64) {
        self.table = table
        self.digest = digest
    }
}

/// What a table covers. Nodes compare only tables that belong to the whole mesh today.
enum TableScope {
    static let mesh: UInt8 = 0
    static let channel: UInt8 = 1
    /// Bytes of the scope's id in a summary and in entries: zeros for the mesh.
    static let idBytes = 16
    static let meshID = [UInt8](repeating: 0, count: idBytes)
}

/// The section *table digests* of a datagram body.
extension [TableDigest] {
    func write(to writer: inout ByteWriter) {
        precondition(1...WireLimits.tableDigestsMax ~= count, "\(count) digests of tables")
        writer.u8(UInt8(truncatingIfNeeded: count))
        for digest in self {
            writer.u8(digest.table.rawValue)
            writer.u8(TableScope.mesh)
            writer.u64(digest.digest)
        }
    }

    /// Reads the section, and leaves out the digests of unknown tables and scopes.
    /// - Throws: `outOfRange` for no digest, `oversized` for too many, `malformed` for two of one table, or
    ///   `truncated`.
    init(from reader: inout ByteReader) throws(WireError) {
        self.init()
        let count = Int(try reader.u8())
        guard 0 < count else { throw .outOfRange }
        guard count <= WireLimits.tableDigestsMax else { throw .oversized }
        var seen: [[UInt8]] = []
        for _ in 0..<count {
            let (table, scope) = (try reader.u8(), try reader.u8())
            let prefix = scope == TableScope.channel ? try reader.bytes(count: WireSizes.scopePrefixBytes) : []
            let digest = try reader.u64()
            guard !seen.contains([table, scope] + prefix) else { throw .malformed }
            seen.append([table, scope] + prefix)
            if let table = TableKind(rawValue: table), scope == TableScope.mesh {
                append(TableDigest(table, digest: digest))
            }
        }
    }
}
