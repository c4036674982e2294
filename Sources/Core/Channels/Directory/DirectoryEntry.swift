package import Primitives
package import Trust
package import Wire

/// A channel's entry in the directory, with valid signatures.
package struct DirectoryEntry: Hashable, Sendable {
    package let signed: SignedChannelEntry
    /// The entry as the comparison with neighbours sees it.
    package let row: TableRow

    package init(_ signed: SignedChannelEntry, sealing: any Sealing) {
        self.signed = signed
        row = TableRow(id: TableEntryID(signed.birth.channel), bytes: signed.bytes, hash: sealing.hash(signed.bytes))
    }

    package var channel: ChannelID { signed.birth.channel }
    package var name: SafeText { signed.birth.name }
    /// The creator's raw public key.
    package var creator: [UInt8] { signed.birth.creator }
    /// When the channel was created, in seconds since 1970, by the creator's clock.
    package var created: UInt64 { signed.birth.created }
    package var isLive: Bool { signed.state.isLive }
    /// Whether no person has created the channel: its creator uses the name.
    package var isClaim: Bool { signed.birth.isClaim }
    /// Whether the channel was deleted by its creator, so that nobody can take it back.
    package var isDeletedByCreator: Bool { !isLive && signed.isByCreator }

    /// Returns whether this entry stands against another one of the same channel. The order is total and depends on the
    /// two entries alone, so that all nodes keep the same one.
    ///
    /// The birth of the higher epoch comes first; then a channel that a person has created, before a claim. Then the
    /// creator's deletion, which nothing of that birth undoes. Then the epoch of the state; within an epoch, a state by
    /// the creator; then the version, a deletion, and the earlier creation. The hash makes the order total.
    package func outranks(_ other: DirectoryEntry) -> Bool {
        if signed.birth.epoch != other.signed.birth.epoch { return other.signed.birth.epoch < signed.birth.epoch }
        if isClaim != other.isClaim { return other.isClaim }
        if isDeletedByCreator != other.isDeletedByCreator { return isDeletedByCreator }
        if signed.state.epoch != other.signed.state.epoch { return other.signed.state.epoch < signed.state.epoch }
        if signed.isByCreator != other.signed.isByCreator { return signed.isByCreator }
        if signed.state.version != other.signed.state.version {
            return other.signed.state.version < signed.state.version
        }
        if isLive != other.isLive { return !isLive }
        if created != other.created { return created < other.created }
        return other.row.hash.lexicographicallyPrecedes(row.hash)
    }

    /// Whether this entry is removed before another one of the same creator, where there are too many. The order
    /// depends on the two alone, so that all nodes keep the same ones.
    ///
    /// Tombstones go before live channels. Of live channels, the one that was created first goes first. Of tombstones,
    /// those of other editors go first, since an editor may name any time; then the one with the earliest deletion,
    /// however old its channel is.
    func goesBefore(_ other: DirectoryEntry) -> Bool {
        if isLive != other.isLive { return !isLive }
        if isLive { return (signed.birth.created, channel) < (other.signed.birth.created, other.channel) }
        if signed.isByCreator != other.signed.isByCreator { return !signed.isByCreator }
        return (signed.state.changed, channel) < (other.signed.state.changed, other.channel)
    }

    /// When the entry goes, in seconds since 1970; nil for a live channel.
    var expiresAt: UInt64? { isLive ? nil : signed.state.changed + DirectoryLimits.tombstoneSeconds }
}
