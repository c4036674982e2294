package import Primitives

/// How a node introduces itself to people: the part of its record that a person chooses. It goes through commands,
/// events and status as a whole, so that a new field is one more property here.
///
/// The bytes below belong to the first layout of the record, and stay as they are: other nodes refuse a record of
/// another layout. The bytes of a later field are an extension of the record (`RecordExtensions`).
package struct NodeProfile: Hashable, Sendable {
    /// Empty while no record of the node is known.
    package var name: SafeText
    /// What the person does, for example `lighting`; empty for none.
    package var role: SafeText
    /// 0xRRGGBB; 0 for none.
    package var colour: UInt32

    package init(name: SafeText, role: SafeText = SafeText(""), colour: UInt32 = 0) {
        self.name = name
        self.role = role
        self.colour = colour
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
