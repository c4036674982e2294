package import Primitives

/// The TXT strings of a `_partyline._udp` service (RFC 6763 §6): makes those of this node, and parses those of others.
package struct ServiceText: Hashable {
    /// Version of the protocol. A service with another version is ignored.
    package static let version = "1"

    package var node: NodeID
    package var mesh: String

    /// `v=1`, `id=…`, `mesh=…`, in that order.
    package var entries: [[UInt8]] {
        ["v=\(ServiceText.version)", "id=\(node.text)", "mesh=\(mesh)"].map { Array($0.utf8) }
    }

    package init(node: NodeID, mesh: String) {
        self.node = node
        self.mesh = mesh
    }

    /// Parses the strings; nil if version, id or mesh is missing or wrong. As RFC 6763 §6.4 requires, case of keys is
    /// ignored, the first string of a key counts, and unknown keys are ignored.
    package init?(entries: some Sequence<[UInt8]>) {
        var values: [String: [UInt8]] = [:]
        for entry in entries.prefix(DiscoveryLimits.textEntriesMax) {
            guard entry.count <= DiscoveryLimits.textEntryBytesMax,
                let equals = entry.firstIndex(of: UInt8(ascii: "=")), 0 < equals
            else { continue }
            let key = String(decoding: entry[..<equals], as: UTF8.self).lowercased()
            if values[key] == nil { values[key] = Array(entry[(equals + 1)...]) }
        }
        guard values["v"] == Array(ServiceText.version.utf8),
            let id = values["id"].flatMap({ String(validating: $0, as: UTF8.self) }),
            let node = NodeID(text: id),
            let mesh = values["mesh"].flatMap({ String(validating: $0, as: UTF8.self) }), !mesh.isEmpty
        else { return nil }
        self.init(node: node, mesh: mesh)
    }

    /// Returns the name that service browsers show: the display name and the short id, which makes it unique. The
    /// display name is cut between two characters, so that the whole is a DNS label.
    package static func serviceName(_ name: SafeText, _ node: NodeID) -> String {
        let suffix = " (\(node.short))"
        var kept = ""
        for character in name.string {
            let bytes = kept.utf8.count + String(character).utf8.count + suffix.utf8.count
            guard bytes <= DiscoveryLimits.serviceNameBytesMax else { break }
            kept.append(character)
        }
        return kept + suffix
    }
}
