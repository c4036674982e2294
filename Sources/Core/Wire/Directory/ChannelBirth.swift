package import Primitives

/// The first half of a channel's entry in the directory: who created the channel, and under which name. Its creator
/// signs it.
package struct ChannelBirth: Hashable, Sendable {
    /// Follows from the name and the mesh (module Channels).
    package var channel: ChannelID
    /// 0 for the first birth of a name. A name that was deleted is used again by a birth of a higher epoch.
    package var epoch: UInt16
    /// Seconds since 1970, by the creator's clock; 48 bits.
    package var created: UInt64
    /// The creator's raw Ed25519 public key, 32 bytes.
    package var creator: [UInt8]
    /// Not empty, and safe to show as it is.
    package var name: SafeText

    package init(channel: ChannelID, epoch: UInt16, created: UInt64, creator: [UInt8], name: SafeText) {
        self.channel = channel
        self.epoch = epoch
        self.created = created
        self.creator = creator
        self.name = name
    }

    private static let layoutVersion: UInt8 = 1

    /// Returns the bytes that the creator signs (docs/WIRE.md, "Directory").
    /// - Precondition: every field is within its bounds.
    package func encoded() -> [UInt8] {
        precondition(epoch <= WireLimits.channelEpochMax, "birth epoch \(epoch)")
        precondition(created >> WireLimits.timeBits == 0, "created in second \(created)")
        precondition(creator.count == WireSizes.publicKeyBytes, "a key of \(creator.count) bytes")
        let text = name.string.utf8
        precondition(1...WireLimits.channelNameBytesMax ~= text.count, "a name of \(text.count) bytes")
        var writer = ByteWriter(capacity: WireLimits.channelEntryBytesMax)
        writer.u8(Self.layoutVersion)
        writer.channel(channel)
        writer.u16(epoch)
        writer.number(created, byteCount: WireSizes.timeBytes)
        writer.raw(creator)
        writer.u8(UInt8(truncatingIfNeeded: text.count))
        writer.raw(text)
        return writer.bytes
    }

    /// - Throws: `truncated`; `unknownKind` for another layout; `outOfRange` for an epoch above its bound; `oversized`
    ///   for a long name; `malformed` for a name that is empty, no UTF-8, or not safe to show as it is.
    init(from reader: inout ByteReader) throws(WireError) {
        guard try reader.u8() == Self.layoutVersion else { throw .unknownKind }
        channel = try reader.channel()
        epoch = try reader.u16()
        guard epoch <= WireLimits.channelEpochMax else { throw .outOfRange }
        created = try reader.number(byteCount: WireSizes.timeBytes)
        creator = try reader.bytes(count: WireSizes.publicKeyBytes)
        let count = Int(try reader.u8())
        guard count <= WireLimits.channelNameBytesMax else { throw .oversized }
        let bytes = try reader.bytes(count: count)
        guard !bytes.isEmpty, let text = String(validating: bytes, as: UTF8.self) else { throw .malformed }
        name = SafeText(
            text, graphemesMax: WireLimits.channelNameGraphemesMax, bytesMax: WireLimits.channelNameBytesMax)
        // Not compared as strings: Swift takes two spellings of one letter for equal.
        guard name.string.utf8.elementsEqual(bytes) else { throw .malformed }
    }
}

extension ByteWriter {
    /// - Precondition: the channel has no code, since nobody is told the id of such a channel.
    mutating func channel(_ id: ChannelID) {
        precondition(!id.hasCode, "the id of a channel with a code")
        u64(id.high)
        u64(id.low)
    }
}

extension ByteReader {
    mutating func channel() throws(WireError) -> ChannelID { ChannelID(high: try u64(), low: try u64()) }
}
