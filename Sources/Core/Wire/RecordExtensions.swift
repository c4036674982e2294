import Primitives

/// Fields that were added to the record after its first layout, each a kind and bytes (docs/WIRE.md, "Record
/// extensions").
///
/// Fields of unknown kinds are kept, because newer nodes have them. A field of a known kind is a property of
/// `NodeRecord` that reads and writes its bytes here:
///
///     extension NodeRecord {
///         package var batteryPercent: UInt8? {
///             get { extensions[.battery].flatMap { $0.count == 1 ? $0[0] : nil } }
///             set { extensions[.battery] = newValue.map { [$0] } }
///         }
///     }
///
/// Bytes that such a property cannot read count as no field. They do not make the record invalid: otherwise nodes of
/// two versions would accept different records, and would compare them for ever.
package struct RecordExtensions: Hashable, Sendable {
    private struct Field: Hashable {
        var kind: RecordExtensionKind
        var bytes: [UInt8]
    }

    /// In ascending order of their kinds, each kind once.
    private var fields: [Field] = []

    package init() {}

    package var count: Int { fields.count }

    /// The bytes of a field; nil if the record does not have it.
    /// - Precondition: with a new value, at most `WireLimits.recordExtensionsMax` fields, in at most
    ///   `WireLimits.ownRecordExtensionsBytesMax` bytes.
    package subscript(kind: RecordExtensionKind) -> [UInt8]? {
        get { fields.first { $0.kind == kind }?.bytes }
        set {
            fields.removeAll { $0.kind == kind }
            guard let newValue else { return }
            fields.insert(Field(kind: kind, bytes: newValue), at: fields.sortedIndex { $0.kind < kind })
            precondition(fields.count <= WireLimits.recordExtensionsMax, "\(fields.count) fields")
            precondition(byteCount <= WireLimits.ownRecordExtensionsBytesMax, "\(byteCount) bytes of fields")
        }
    }

    /// The bytes of the list in a record.
    package var byteCount: Int { fields.reduce(1) { $0 + 2 + $1.bytes.count } }

    func write(to writer: inout ByteWriter) {
        writer.u8(UInt8(truncatingIfNeeded: fields.count))
        for field in fields {
            writer.u8(field.kind.number)
            writer.u8(UInt8(truncatingIfNeeded: field.bytes.count))
            writer.raw(field.bytes)
        }
    }

    /// Reads a list, whatever the kinds.
    /// - Throws: `oversized` for too many fields, `malformed` for kinds that do not ascend, or `truncated`.
    init(from reader: inout ByteReader) throws(WireError) {
        let count = Int(try reader.u8())
        guard count <= WireLimits.recordExtensionsMax else { throw .oversized }
        for _ in 0..<count {
            let kind = RecordExtensionKind(number: try reader.u8())
            if let last = fields.last, kind <= last.kind { throw .malformed }
            fields.append(Field(kind: kind, bytes: try reader.bytes(count: Int(try reader.u8()))))
        }
    }
}

/// What a record extension is. A known kind is a constant beside the property that reads it.
package struct RecordExtensionKind: Hashable, Comparable, Sendable {
    package let number: UInt8

    package init(number: UInt8) { self.number = number }

    package static func < (a: RecordExtensionKind, b: RecordExtensionKind) -> Bool { a.number < b.number }
}
