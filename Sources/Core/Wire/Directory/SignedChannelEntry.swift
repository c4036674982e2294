package import Primitives

/// A channel's entry in the directory, as it is sent. It is kept and passed on byte for byte, so that its signatures
/// stay valid.
package struct SignedChannelEntry: Hashable, Sendable {
    package let birth: ChannelBirth
    package let state: ChannelState
    /// Birth, its signature, state, its signature; at most `WireLimits.channelEntryBytesMax`.
    package let bytes: [UInt8]
    /// Where the birth's signature begins, and where the state does.
    private let birthEnd: Int
    private let stateStart: Int

    /// - Parameter birth: the birth and its signature, as in `signedBirth` of another entry.
    /// - Precondition: both signatures have 64 bytes, and the state's epoch is not before the birth's.
    package init(birth: ChannelBirth, signedBirth: [UInt8], state: ChannelState, signature: [UInt8]) {
        precondition(signature.count == WireSizes.signatureBytes, "a signature of \(signature.count) bytes")
        precondition(birth.epoch <= state.epoch, "a state of epoch \(state.epoch) before its birth")
        self.birth = birth
        self.state = state
        birthEnd = signedBirth.count - WireSizes.signatureBytes
        stateStart = signedBirth.count
        bytes = signedBirth + state.encoded() + signature
        precondition(bytes.count <= WireLimits.channelEntryBytesMax, "an entry of \(bytes.count) bytes")
    }

    /// Reads an entry. Its signatures are not checked yet.
    /// - Throws: `oversized`, and the errors of the two halves; `trailing` for bytes after the second signature.
    package init(parsing bytes: [UInt8]) throws(WireError) {
        guard bytes.count <= WireLimits.channelEntryBytesMax else { throw .oversized }
        var reader = ByteReader(bytes)
        birth = try ChannelBirth(from: &reader)
        birthEnd = bytes.count - reader.remaining
        _ = try reader.bytes(count: WireSizes.signatureBytes)
        stateStart = bytes.count - reader.remaining
        state = try ChannelState(from: &reader, bornIn: birth.epoch)
        _ = try reader.bytes(count: WireSizes.signatureBytes)
        try reader.finish()
        self.bytes = bytes
    }

    /// The birth with its signature.
    package var signedBirth: [UInt8] { Array(bytes[..<stateStart]) }
    /// The bytes that the creator signed.
    package var birthBody: [UInt8] { Array(bytes[..<birthEnd]) }
    package var birthSignature: [UInt8] { Array(bytes[birthEnd..<stateStart]) }
    /// The bytes that the editor signed.
    package var stateBody: [UInt8] { Array(bytes[stateStart..<(bytes.count - WireSizes.signatureBytes)]) }
    package var stateSignature: [UInt8] { Array(bytes.suffix(WireSizes.signatureBytes)) }

    /// Whether the channel's creator signed the state.
    package var isByCreator: Bool { state.editor == birth.creator }
}

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
    /// Whether no person has created the channel: its creator uses the name.
    package var isClaim: Bool

    package init(
        channel: ChannelID, epoch: UInt16, created: UInt64, creator: [UInt8], name: SafeText, isClaim: Bool = false
    ) {
        self.channel = channel
        self.epoch = epoch
        self.created = created
        self.creator = creator
        self.name = name
        self.isClaim = isClaim
    }

    /// The first byte.
    private enum Layout {
        static let ofPerson: UInt8 = 1
        static let ofClaim: UInt8 = 2
    }

    /// Returns the bytes that the creator signs (docs/WIRE.md, "Directory").
    /// - Precondition: every field is within its bounds.
    package func encoded() -> [UInt8] {
        precondition(epoch <= WireLimits.channelEpochMax, "birth epoch \(epoch)")
        precondition(created >> WireLimits.timeBits == 0, "created in second \(created)")
        precondition(creator.count == WireSizes.publicKeyBytes, "a key of \(creator.count) bytes")
        let text = name.string.utf8
        precondition(1...WireLimits.channelNameBytesMax ~= text.count, "a name of \(text.count) bytes")
        var writer = ByteWriter(capacity: WireLimits.channelEntryBytesMax)
        writer.u8(isClaim ? Layout.ofClaim : Layout.ofPerson)
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
        let layout = try reader.u8()
        guard layout == Layout.ofPerson || layout == Layout.ofClaim else { throw .unknownKind }
        isClaim = layout == Layout.ofClaim
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
    /// `birthEpochNow`, and fields of newer nodes. They are kept until the next edit.
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

    /// In a renaming, the birth epoch of the channel that this one became; nil if the state does not tell it.
    package var birthEpochNow: UInt16? {
        get { extensions[.birthEpochNow].flatMap { $0.count == 2 ? UInt16($0[0]) << 8 | UInt16($0[1]) : nil } }
        set { extensions[.birthEpochNow] = newValue.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } }
    }

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

extension RecordExtensionKind {
    /// An extension of a channel's state, whose kinds are apart from those of records.
    fileprivate static let birthEpochNow = RecordExtensionKind(number: 1)
}

/// Flags of a channel. Bits that this node does not know are kept.
package struct ChannelFlags: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
}
