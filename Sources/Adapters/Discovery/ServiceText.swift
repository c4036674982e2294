package import Primitives

/// The TXT strings of a `_partyline._udp` service (RFC 6763 §6, docs/WIRE.md, "Service"): makes those of this node, and
/// parses those of others.
package enum ServiceText: Hashable, Sendable {
    case open(node: NodeID, mesh: String)
    /// A member of a closed mesh: salt and tag of 16 bytes, the sealed NodeID of 60.
    case sealed(salt: [UInt8], tag: [UInt8], node: [UInt8])

    /// Versions of the text. A service with another one is ignored.
    private enum Version {
        static let open = "1"
        static let sealed = "2"
    }

    private static let saltBytes = 16
    private static let tagBytes = 16
    private static let sealedNodeBytes = 60

    /// `v=1`, `id=…`, `mesh=…`, or `v=2`, `salt=…`, `tag=…`, `node=…`, in that order.
    package var entries: [[UInt8]] {
        let texts =
            switch self {
            case .open(let node, let mesh): ["v=\(Version.open)", "id=\(node.text)", "mesh=\(mesh)"]
            case .sealed(let salt, let tag, let node):
                [
                    "v=\(Version.sealed)", "salt=\(HexText.text(of: salt))", "tag=\(HexText.text(of: tag))",
                    "node=\(HexText.text(of: node))",
                ]
            }
        return texts.map { Array($0.utf8) }
    }

    /// Parses the strings; nil if one is missing or wrong. As RFC 6763 §6.4 requires, case of keys is ignored, the
    /// first string of a key counts, and unknown keys are ignored.
    package init?(entries: some Sequence<[UInt8]>) {
        var values: [String: [UInt8]] = [:]
        for entry in entries.prefix(DiscoveryLimits.textEntriesMax) {
            guard entry.count <= DiscoveryLimits.textEntryBytesMax,
                let equals = entry.firstIndex(of: UInt8(ascii: "=")), 0 < equals
            else { continue }
            let key = String(decoding: entry[..<equals], as: UTF8.self).lowercased()
            if values[key] == nil { values[key] = Array(entry[(equals + 1)...]) }
        }
        func text(_ key: String) -> String? { values[key].flatMap { String(validating: $0, as: UTF8.self) } }
        func bytes(_ key: String, count: Int) -> [UInt8]? {
            values[key].flatMap { HexText.bytes(of: $0) }.flatMap { $0.count == count ? $0 : nil }
        }
        switch text("v") {
        case Version.open:
            guard let node = text("id").flatMap({ NodeID(text: $0) }), let mesh = text("mesh"), !mesh.isEmpty
            else { return nil }
            self = .open(node: node, mesh: mesh)
        case Version.sealed:
            guard let salt = bytes("salt", count: ServiceText.saltBytes),
                let tag = bytes("tag", count: ServiceText.tagBytes),
                let node = bytes("node", count: ServiceText.sealedNodeBytes)
            else { return nil }
            self = .sealed(salt: salt, tag: tag, node: node)
        default: return nil
        }
    }

    /// Returns the name that service browsers show. In an open mesh it is the display name and the short id, which
    /// makes it unique; the display name is cut between two characters, so that the whole is a DNS label. In a closed
    /// mesh it is `partyline-` and the beginning of the salt.
    package func serviceName(_ name: SafeText) -> String {
        switch self {
        case .open(let node, _):
            let suffix = " (\(node.short))"
            var kept = ""
            for character in name.string {
                let bytes = kept.utf8.count + String(character).utf8.count + suffix.utf8.count
                guard bytes <= DiscoveryLimits.serviceNameBytesMax else { break }
                kept.append(character)
            }
            return kept + suffix
        case .sealed(let salt, _, _): return "partyline-" + HexText.text(of: Array(salt.prefix(4)))
        }
    }
}

/// Bytes as hexadecimal digits, in small letters: of one value there is one text.
enum HexText {
    private static let digits = Array("0123456789abcdef".utf8)

    static func text(of bytes: [UInt8]) -> String {
        String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Nil if another character is there, or an odd number of digits.
    static func bytes(of text: [UInt8]) -> [UInt8]? {
        guard text.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: text.count, by: 2) {
            guard let high = digits.firstIndex(of: text[index]), let low = digits.firstIndex(of: text[index + 1])
            else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }
}
