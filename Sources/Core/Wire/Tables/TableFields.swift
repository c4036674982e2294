import Primitives

/// The fields of TABLE_SUMMARY and TABLE_ENTRIES, checked one by one. Both are for tables of the mesh only: another
/// table or scope counts as an unknown kind of frame.

extension PBTableSummary {
    init(_ summary: TableSummary) {
        precondition(summary.items.count <= WireLimits.tableEntriesMax, "\(summary.items.count) items of a table")
        self.init()
        table = UInt32(summary.table.rawValue)
        scope = UInt32(TableScope.mesh)
        scopeID = TableScope.meshID.field
        var writer = ByteWriter(capacity: summary.items.count * WireSizes.tableItemBytes)
        for item in summary.items {
            writer.u64(item.id.words.0)
            writer.u64(item.id.words.1)
            writer.u64(item.id.words.2)
            writer.u64(item.hash)
        }
        items = writer.bytes.field
    }

    func checked() throws(WireError) -> TableSummary {
        guard hasTable, hasScope else { throw .malformed }
        let kind = try TableKind(table: table, scope: scope, scopeID: scopeID.array)
        guard items.count <= WireLimits.tableEntriesMax * WireSizes.tableItemBytes else { throw .oversized }
        guard items.count % WireSizes.tableItemBytes == 0 else { throw .malformed }
        var reader = ByteReader(items.array)
        var list: [TableItem] = []
        list.reserveCapacity(items.count / WireSizes.tableItemBytes)
        while 0 < reader.remaining {
            let id = TableEntryID(words: (try reader.u64(), try reader.u64(), try reader.u64()))
            if let last = list.last, id <= last.id { throw .malformed }
            list.append(TableItem(id: id, hash: try reader.u64()))
        }
        return TableSummary(kind, items: list)
    }
}

extension PBTableEntries {
    init(_ message: TableEntries) {
        let byteCount = message.entries.reduce(0) { $0 + $1.count }
        precondition(byteCount <= WireLimits.tableEntriesBytesMax, "\(byteCount) bytes of entries")
        self.init()
        table = UInt32(message.table.rawValue)
        scope = UInt32(TableScope.mesh)
        scopeID = TableScope.meshID.field
        entries = message.entries.map(\.field)
        more = message.hasMore
    }

    func checked() throws(WireError) -> TableEntries {
        guard hasTable, hasScope, hasMore else { throw .malformed }
        let kind = try TableKind(table: table, scope: scope, scopeID: scopeID.array)
        guard entries.count <= WireLimits.tableEntriesMax,
            entries.reduce(0, { $0 + $1.count }) <= WireLimits.tableEntriesBytesMax
        else { throw .oversized }
        return TableEntries(kind, entries: entries.map(\.array), hasMore: more)
    }
}

extension TableKind {
    fileprivate init(table: UInt32, scope: UInt32, scopeID: [UInt8]) throws(WireError) {
        guard scopeID.count == TableScope.idBytes else { throw .malformed }
        guard let kind = UInt8(exactly: table).flatMap(TableKind.init), scope == UInt32(TableScope.mesh) else {
            throw .unknownKind
        }
        guard scopeID.allSatisfy({ $0 == 0 }) else { throw .outOfRange }
        self = kind
    }
}
