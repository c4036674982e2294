import Primitives
import Wire

/// The first creator of each channel: the one that created it as far as this node knows. Beside the renamings of this
/// node itself, it follows those of that creator alone.
///
/// Any member can sign a birth that ranks before that of a channel, and so take over the channel's entry
/// (docs/THREATS.md). This node then stays on the channel, and its talk keys too, if that member renames it.
struct FirstCreators {
    /// The first byte of what the shell keeps, where the first creator stands before the entry. An entry begins with
    /// the number of its layout.
    private static let mark: UInt8 = 0x80
    private static let keyBytes = WireSizes.publicKeyBytes

    /// Raw public keys.
    private var firstKeys: [ChannelID: [UInt8]] = [:]

    /// The raw public key of the first creator; nil if this node has held no live entry of the channel but its own
    /// claim.
    subscript(channel: ChannelID) -> [UInt8]? { firstKeys[channel] }

    /// Takes account of an entry that has replaced `before`. Another creator counts only after the first one has
    /// deleted the channel.
    mutating func update(with entry: DirectoryEntry, after before: DirectoryEntry?) {
        if let first = firstKeys[entry.channel] {
            guard let before, before.isDeletedByCreator, before.creator == first, entry.creator != first else { return }
        }
        firstKeys[entry.channel] = Self.implied(by: entry)
    }

    mutating func forget(_ channel: ChannelID) { firstKeys[channel] = nil }

    /// The first creator that an entry alone tells.
    private static func implied(by entry: DirectoryEntry) -> [UInt8]? { entry.isLive ? entry.creator : nil }

    // MARK: Across restarts

    /// Returns what the shell keeps: the entry, and before it the first creator if the entry alone does not tell it.
    func kept(_ entry: DirectoryEntry) -> [UInt8] {
        let first = firstKeys[entry.channel]
        guard first != Self.implied(by: entry) else { return entry.signed.bytes }
        return [Self.mark] + (first ?? [UInt8](repeating: 0, count: Self.keyBytes)) + entry.signed.bytes
    }

    /// Returns the bytes of the entry in what the shell has kept.
    static func entryBytes(in kept: [UInt8]) -> [UInt8] {
        kept.first == mark ? Array(kept.dropFirst(1 + keyBytes)) : kept
    }

    /// Adds the first creator of an entry that was read from what the shell has kept.
    mutating func restore(_ entry: DirectoryEntry, from kept: [UInt8]) {
        guard kept.first == Self.mark else {
            firstKeys[entry.channel] = Self.implied(by: entry)
            return
        }
        let first = Array(kept.dropFirst().prefix(Self.keyBytes))
        firstKeys[entry.channel] = first.contains { $0 != 0 } ? first : nil
    }
}
