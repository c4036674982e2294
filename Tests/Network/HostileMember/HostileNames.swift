import Primitives
import Trust
import Wire

/// Text that no honest node sends, in each frame in which a member can send text.
struct HostileNames {
    /// Orders to a terminal, more lines, text that runs backwards, 40 marks on a letter, no UTF-8, and 10 kB.
    static let texts: [[UInt8]] = [
        Array("\u{1B}[2J\u{1B}]0;owned\u{07}\u{9B}31m".utf8), Array("a\r\nb\0\tc\u{2028}d".utf8),
        Array("\u{202E}dneirf\u{2066}\u{200F}".utf8), Array(("Z" + String(repeating: "\u{301}", count: 40)).utf8),
        [0xFF, 0xFE, 0xC0, 0x80], [UInt8](repeating: 0x41, count: 10_000),
    ]

    /// The label under the signature of a record (docs/WIRE.md, "Records").
    private static let recordLabel = Array("partyline/1 record\0".utf8)
    private static let noSignature = [UInt8](repeating: 0, count: WireSizes.signatureBytes)
    /// Layout, flags, NodeID, instance, boot nonce, sequence and colour stand before the name in a record.
    private static let nameStart = 2 + NodeID.byteCount + WireSizes.instanceBytes + 8 + 4 + 3
    private static let helloMesh: UInt8 = 3
    private static let callText: UInt8 = 4
    private static let recordsKind: UInt8 = 11

    let text: [UInt8]

    /// What a linked member sends: records of itself and of nobody, a call, and an entry of the directory.
    func frames(of member: ClaimedNode, sequence: UInt32) -> [[UInt8]] {
        let call = CallFrame(
            id: CallID(number: UInt64(sequence)), target: .receiver, text: SafeText(""), expiresMilliseconds: 5_000,
            isUrgent: true)
        let entries = TableEntries(.directory, entries: [entry(by: member)], hasMore: false)
        var frames = [
            records(of: member, sequence: sequence), CarrierMessage.table(.entries(entries)).encoded(),
        ]
        if let nobody = try? ClaimedNode() { frames.append(records(of: nobody, sequence: 1)) }
        // The call comes last, because a CALL that does not parse ends the connection.
        frames.append(CarrierMessage.call(.call(call)).encoded() + Self.field(Self.callText, text))
        return frames
    }

    /// A HELLO with the text as the name of the mesh. A parser takes the last value of a field that comes twice.
    func hello(of stranger: ClaimedNode, to mesh: String) -> [UInt8] {
        stranger.hello(to: mesh) + Self.field(Self.helloMesh, text)
    }

    /// A field of a message (protobuf, "Length-delimited records").
    private static func field(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
        var bytes = [number << 3 | 2]
        var count = content.count
        while 0x7F < count {
            bytes.append(UInt8(count & 0x7F) | 0x80)
            count >>= 7
        }
        return bytes + [UInt8(count)] + content
    }

    /// RECORDS with one record, of any size, that has the text as name and as role.
    private func records(of node: ClaimedNode, sequence: UInt32) -> [UInt8] {
        var body = node.record(named: "", sequence: sequence).encoded()
        let counted = [UInt8(truncatingIfNeeded: text.count)] + text
        body.replaceSubrange(Self.nameStart..<Self.nameStart + 2, with: counted + counted)
        let signature = node.sealing.signature(over: Self.recordLabel + body)
        var record = Self.field(1, node.sealing.publicKey)
        record += Self.field(2, body)
        record += Self.field(3, signature)
        return [Self.recordsKind] + Self.field(1, record)
    }

    /// Unsigned: names are judged before signatures.
    private func entry(by member: ClaimedNode) -> [UInt8] {
        let key = member.sealing.publicKey
        let channel = ChannelID(high: .random(in: .min ... .max), low: 1)
        let birth = ChannelBirth(channel: channel, epoch: 0, created: 0, creator: key, name: SafeText("x")).encoded()
        let state = ChannelState(epoch: 0, version: 1, form: .live, flags: [], changed: 0, editor: key).encoded()
        var bytes = Array(birth.dropLast(2))
        bytes.append(UInt8(truncatingIfNeeded: text.count))
        for part in [text, Self.noSignature, state, Self.noSignature] { bytes += part }
        return bytes
    }
}
