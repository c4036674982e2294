package import Primitives

/// What a node says of itself. The node signs its record, any node may pass it on, and only the node itself can make
/// a newer version.
package struct NodeRecord: Hashable, Sendable {
    package var node: NodeID
    package var instance: Instance
    package var bootNonce: BootNonce
    /// Rises with every change within an instance.
    package var sequence: UInt32
    /// Where the node listens, with TCP and UDP on the same port; at most `WireLimits.recordEndpointsMax`.
    package var endpoints: [Endpoint]
    package var profile: NodeProfile
    /// Whether the node leaves; the record then no longer counts.
    package var isLeaving: Bool
    /// Fields that came later and are not in the profile; those of newer nodes are kept as they are.
    package var extensions: RecordExtensions

    package init(
        node: NodeID, instance: Instance, bootNonce: BootNonce, sequence: UInt32, endpoints: [Endpoint],
        profile: NodeProfile, isLeaving: Bool, extensions: RecordExtensions = .init()
    ) {
        self.node = node
        self.instance = instance
        self.bootNonce = bootNonce
        self.sequence = sequence
        self.endpoints = endpoints
        self.profile = profile
        self.isLeaving = isLeaving
        self.extensions = extensions
    }

    /// The version, by which the records of one node are ordered.
    package var version: RecordVersion { RecordVersion(instance: instance, sequence: sequence) }
}

package struct RecordVersion: Hashable, Comparable, Sendable {
    package var instance: Instance
    package var sequence: UInt32
    package init(instance: Instance, sequence: UInt32) {
        self.instance = instance
        self.sequence = sequence
    }
    package static func < (a: RecordVersion, b: RecordVersion) -> Bool {
        (a.instance, a.sequence) < (b.instance, b.sequence)
    }
}

/// A record as it is sent. It is stored and forwarded byte for byte, so that its signature stays valid.
package struct SignedRecord: Hashable, Sendable {
    /// Raw Ed25519 public key, 32 bytes (RFC 8032).
    package var publicKey: [UInt8]
    /// The encoded record, at most `WireLimits.recordBytesMax`.
    package var body: [UInt8]
    /// 64 bytes over the label and `body` (docs/WIRE.md, "Records").
    package var signature: [UInt8]

    package init(publicKey: [UInt8], body: [UInt8], signature: [UInt8]) {
        self.publicKey = publicKey
        self.body = body
        self.signature = signature
    }

    /// Whether public key, body and signature have sizes that a verifier accepts.
    package var hasValidSizes: Bool {
        publicKey.count == WireSizes.publicKeyBytes && signature.count == WireSizes.signatureBytes
            && !body.isEmpty && body.count <= WireLimits.recordBytesMax
    }
}

/// How a node introduces itself to people: the part of its record that a person chooses, and whether a person is there.
/// It goes through commands, events and status as a whole, so that to them a new field is one more property here.
///
/// The bytes below belong to the first layout of the record, and stay as they are: other nodes refuse a record of
/// another layout. The bytes of a later field are an extension of the record (`RecordExtensions`). This type does not
/// see the extensions: `NodeRecord.init(parsing:)` moves such a property out of them, and `NodeRecord.encoded()` writes
/// it to them. So the record has it in one place. `feedsProgramme` is the only such property.
package struct NodeProfile: Hashable, Sendable {
    /// Empty while no record of the node is known.
    package var name: SafeText
    /// What the person does, for example `lighting`; empty for none.
    package var role: SafeText
    /// 0xRRGGBB; 0 for none.
    package var colour: UInt32
    /// Whether the node feeds programme into a channel, and no person is there.
    package var feedsProgramme = false

    package init(name: SafeText, role: SafeText = SafeText(""), colour: UInt32 = 0, feedsProgramme: Bool = false) {
        self.name = name
        self.role = role
        self.colour = colour
        self.feedsProgramme = feedsProgramme
    }
}

/// The layout in a record's body (docs/WIRE.md, "Records").
extension NodeProfile {
    /// Cuts the texts to their limits.
    func write(to writer: inout ByteWriter) {
        writer.number(UInt64(colour), byteCount: 3)
        for text in [name, role] {
            let fitting = NodeProfile.fitting(text.string).string.utf8
            writer.u8(UInt8(truncatingIfNeeded: fitting.count))
            writer.raw(fitting)
        }
    }

    /// - Throws: `oversized` for a text that is longer than `WireLimits.profileTextBytesMax`, or `truncated`.
    init(from reader: inout ByteReader) throws(WireError) {
        colour = UInt32(truncatingIfNeeded: try reader.number(byteCount: 3))
        name = try NodeProfile.text(from: &reader)
        role = try NodeProfile.text(from: &reader)
    }

    private static func fitting(_ text: String) -> SafeText {
        SafeText(
            text, graphemesMax: WireLimits.profileTextGraphemesMax, bytesMax: WireLimits.profileTextBytesMax)
    }

    private static func text(from reader: inout ByteReader) throws(WireError) -> SafeText {
        let count = Int(try reader.u8())
        guard count <= WireLimits.profileTextBytesMax else { throw .oversized }
        return fitting(String(decoding: try reader.bytes(count: count), as: UTF8.self))
    }
}
