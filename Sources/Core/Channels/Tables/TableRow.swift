package import Wire

/// One entry of a replicated table, as the comparison with neighbours sees it.
package struct TableRow: Hashable, Sendable {
    package let id: TableEntryID
    /// The signed bytes.
    package let bytes: [UInt8]
    /// SHA-256 of `bytes`.
    package let hash: [UInt8]

    package init(id: TableEntryID, bytes: [UInt8], hash: [UInt8]) {
        self.id = id
        self.bytes = bytes
        self.hash = hash
    }
}
