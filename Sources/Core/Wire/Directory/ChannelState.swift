package import Primitives

/// The second half of a channel's entry in the directory: whether the channel is there, and what changed it last. The
/// node that changed it signs it.
package struct ChannelState: Hashable, Sendable {
    package enum Form: Hashable, Sendable {
        case live
        /// The channel is deleted (the entry is a tombstone). `now` is the channel that it was renamed to; nil if it
        /// was not renamed.
        case deleted(now: ChannelID?)
    }

    /// At least the birth's epoch.
    package var epoch: UInt16
    /// At least 1.
    package var version: UInt16
    package var form: Form
    package var flags: ChannelFlags
    /// Seconds since 1970, by the editor's clock; 48 bits.
    package var changed: UInt64
    /// The editor's raw Ed25519 public key, 32 bytes.
    package var editor: [UInt8]
    /// Fields of newer nodes, which are kept.
    package var extensions: RecordExtensions

    package init(
        epoch: UInt16, version: UInt16, form: Form, flags: ChannelFlags, changed: UInt64, editor: [UInt8],
        extensions: RecordExtensions = .init()
    ) {
        self.epoch = epoch
        self.version = version
        self.form = form
        self.flags = flags
        self.changed = changed
        self.editor = editor
        self.extensions = extensions
    }

    package var isLive: Bool { form == .live }

    private enum FormByte {
        static let live: UInt8 = 0
        static let tombstone: UInt8 = 1
    }

    /// A channel id of zeros stands for none.
    private static let noChannel = ChannelID(high: 0, low: 0)

    /// Returns the bytes that the editor signs (docs/WIRE.md, "Directory").
    /// - Precondition: every field is within its bounds.
    package func encoded() -> [UInt8] {
        precondition(epoch <= WireLimits.channelEpochMax, "epoch \(epoch)")
        precondition(1...WireLimits.channelVersionMax ~= version, "version \(version)")
        precondition(changed >> WireLimits.timeBits == 0, "changed in second \(changed)")
        precondition(editor.count == WireSizes.publicKeyBytes, "a key of \(editor.count) bytes")
        precondition(extensions.byteCount <= WireLimits.channelExtensionsBytesMax, "\(extensions.byteCount) bytes")
        var writer = ByteWriter(capacity: WireLimits.channelEntryBytesMax)
        writer.u16(epoch)
        writer.u16(version)
        writer.u8(isLive ? FormByte.live : FormByte.tombstone)
        writer.u8(flags.rawValue)
        writer.number(changed, byteCount: WireSizes.timeBytes)
        if case .deleted(let now?) = form { writer.channel(now) } else { writer.channel(Self.noChannel) }
        writer.raw(editor)
        extensions.write(to: &writer)
        return writer.bytes
    }

    /// - Throws: `truncated`; `outOfRange` for an epoch, version or form out of its bounds, and for a live channel
    ///   that became another one; `oversized` or `malformed` for the extensions.
    init(from reader: inout ByteReader, bornIn birthEpoch: UInt16) throws(WireError) {
        epoch = try reader.u16()
        version = try reader.u16()
        guard birthEpoch...WireLimits.channelEpochMax ~= epoch, 1...WireLimits.channelVersionMax ~= version else {
            throw .outOfRange
        }
        let formByte = try reader.u8()
        flags = ChannelFlags(rawValue: try reader.u8())
        changed = try reader.number(byteCount: WireSizes.timeBytes)
        let now = try reader.channel()
        switch formByte {
        case FormByte.live where now == Self.noChannel: form = .live
        case FormByte.tombstone: form = .deleted(now: now == Self.noChannel ? nil : now)
        default: throw .outOfRange
        }
        editor = try reader.bytes(count: WireSizes.publicKeyBytes)
        extensions = try RecordExtensions(from: &reader)
        guard extensions.count <= WireLimits.channelExtensionsMax,
            extensions.byteCount <= WireLimits.channelExtensionsBytesMax
        else { throw .oversized }
    }
}

/// Flags of a channel. Bits that this node does not know are kept.
package struct ChannelFlags: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
}
