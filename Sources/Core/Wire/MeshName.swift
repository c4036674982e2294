/// Rules for the name of a mesh: 1 to `WireLimits.meshNameBytesMax` bytes of UTF-8. Names are compared byte for byte,
/// and shown to people only as `SafeText`.
package enum MeshName {
    package static func isValid(_ name: String) -> Bool {
        1 <= name.utf8.count && name.utf8.count <= WireLimits.meshNameBytesMax
    }

    /// Reads a name.
    /// - Throws: `oversized` above the limit, `malformed` if there is no byte, or no UTF-8.
    package static func parse(_ bytes: [UInt8]) throws(WireError) -> String {
        guard bytes.count <= WireLimits.meshNameBytesMax else { throw .oversized }
        guard !bytes.isEmpty, let name = String(validating: bytes, as: UTF8.self) else { throw .malformed }
        return name
    }
}
