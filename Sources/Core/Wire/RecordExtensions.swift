import Primitives

/// Fields that came after the first layout of a node record, each a kind and bytes (docs/WIRE.md, "Record extensions").
/// Entries of the channel directory have such a list too, with smaller bounds and kinds of their own.
///
/// An extension of an unknown kind is kept, because newer nodes know it. Each kind in use is a constant below. The one
/// in use, `programme`, is a property of the profile. A fact that no person chooses will be a property of `NodeRecord`
/// that reads and writes the bytes here. For example, if kind 9 were the charge of the battery:
///
///     extension RecordExtensionKind {
///         static let battery = RecordExtensionKind(number: 9)
///     }
///     extension NodeRecord {
///         package var batteryPercent: UInt8? {
///             get { extensions[.battery].flatMap { $0.count == 1 ? $0[0] : nil } }
///             set { extensions[.battery] = newValue.map { [$0] } }
///         }
///     }
///
/// Bytes that such a property cannot read count as no extension, and are kept. They do not make the record invalid:
/// otherwise nodes of two versions would accept different records, and would compare them for ever.
package struct RecordExtensions: Hashable, Sendable {
    private struct Extension: Hashable {
        var kind: RecordExtensionKind
        var bytes: [UInt8]
    }

    /// In ascending order of their kinds, each kind once.
    private var extensions: [Extension] = []

    package init() {}

    /// The bytes of an extension; nil if the record does not have it.
    /// - Precondition: a new value is for the record of this node. Then the list has at most
    ///   `WireLimits.recordExtensionsMax` extensions, in at most `WireLimits.ownRecordExtensionsBytesMax` bytes.
    package subscript(kind: RecordExtensionKind) -> [UInt8]? {
        get { extensions.first { $0.kind == kind }?.bytes }
        set {
            replace(kind, with: newValue)
            guard newValue != nil else { return }
            precondition(extensions.count <= WireLimits.recordExtensionsMax, "\(extensions.count) extensions")
            precondition(byteCount <= WireLimits.ownRecordExtensionsBytesMax, "\(byteCount) bytes of extensions")
        }
    }

    /// Adds an extension that has no bytes. The list may be of any node, so it may have more bytes than an own one.
    /// - Precondition: the list has at most `WireLimits.recordExtensionsMax` extensions then.
    mutating func mark(_ kind: RecordExtensionKind) {
        replace(kind, with: [])
        precondition(extensions.count <= WireLimits.recordExtensionsMax, "\(extensions.count) extensions")
    }

    /// Removes an extension that has no bytes, and returns whether the list had it. One with bytes stays.
    mutating func takeMark(_ kind: RecordExtensionKind) -> Bool {
        guard self[kind] == [] else { return false }
        replace(kind, with: nil)
        return true
    }

    private mutating func replace(_ kind: RecordExtensionKind, with bytes: [UInt8]?) {
        extensions.removeAll { $0.kind == kind }
        guard let bytes else { return }
        extensions.insert(Extension(kind: kind, bytes: bytes), at: extensions.sortedIndex { $0.kind < kind })
    }

    var count: Int { extensions.count }

    /// The bytes of the list in a record.
    package var byteCount: Int { extensions.reduce(1) { $0 + 2 + $1.bytes.count } }

    func write(to writer: inout ByteWriter) {
        writer.u8(UInt8(truncatingIfNeeded: extensions.count))
        for field in extensions {
            writer.u8(field.kind.number)
            writer.u8(UInt8(truncatingIfNeeded: field.bytes.count))
            writer.raw(field.bytes)
        }
    }

    /// Reads a list, whatever the kinds.
    /// - Throws: `oversized` for too many extensions, `malformed` for kinds that do not ascend, or `truncated`.
    init(from reader: inout ByteReader) throws(WireError) {
        let count = Int(try reader.u8())
        guard count <= WireLimits.recordExtensionsMax else { throw .oversized }
        for _ in 0..<count {
            let kind = RecordExtensionKind(number: try reader.u8())
            if let last = extensions.last, kind <= last.kind { throw .malformed }
            extensions.append(Extension(kind: kind, bytes: try reader.bytes(count: Int(try reader.u8()))))
        }
    }
}

/// The kind of a record extension.
package struct RecordExtensionKind: Hashable, Comparable, Sendable {
    package let number: UInt8

    package init(number: UInt8) { self.number = number }

    /// The node feeds programme (`NodeProfile.feedsProgramme`); it has no bytes.
    package static let programme = RecordExtensionKind(number: 3)

    package static func < (a: RecordExtensionKind, b: RecordExtensionKind) -> Bool { a.number < b.number }
}
