import Primitives

/// The payload of the mesh file, big-endian:
///
///     mesh id 16 | epochs u8, 1 or 2 | for each: number u32, secret 32 | code key u8, 0 or 32 bytes
///     | name u16 + bytes | code u16 + bytes, none for no code
///     | epoch entry u16 + bytes, none if the code was never changed | NodeIDs, 32 each, all that is left
///
/// A file of an earlier version ends before the entry.
extension StoredMesh {
    static let payloadByteCounts: ClosedRange<Int> = {
        // With one epoch, no key and no texts.
        let least = 16 + 1 + (4 + secretBytes) + 1 + 2 + 2
        return
            least...(least + (4 + secretBytes) + secretBytes + StateLimits.meshNameBytesMax
            + StateLimits.codeBytesMax + 2 + StateLimits.epochEntryBytesMax
            + StateLimits.provedMax * NodeID.byteCount)
    }()

    var payload: [UInt8] {
        var writer = PayloadWriter()
        writer.word(id.high, byteCount: 8)
        writer.word(id.low, byteCount: 8)
        let epochs = [newest] + (older.map { [$0] } ?? [])
        writer.word(UInt64(epochs.count), byteCount: 1)
        for epoch in epochs {
            writer.word(UInt64(epoch.number), byteCount: 4)
            writer.bytes += epoch.secret
        }
        writer.word(UInt64(codeKey?.count ?? 0), byteCount: 1)
        writer.bytes += codeKey ?? []
        for text in [name, code ?? ""] {
            writer.word(UInt64(text.utf8.count), byteCount: 2)
            writer.bytes += text.utf8
        }
        writer.word(UInt64(entry?.count ?? 0), byteCount: 2)
        writer.bytes += entry ?? []
        for node in proved { writer.bytes += node.bytes }
        return writer.bytes
    }

    /// Nil if the payload breaks the layout or a bound.
    init?(payload: [UInt8]) {
        var reader = PayloadReader(rest: payload[...])
        guard let high = reader.word(byteCount: 8), let low = reader.word(byteCount: 8),
            let epochCount = reader.word(byteCount: 1), (1...2).contains(epochCount),
            let newest = reader.epoch()
        else { return nil }
        var older: Epoch?
        if epochCount == 2 {
            guard let epoch = reader.epoch() else { return nil }
            older = epoch
        }
        guard let keyCount = reader.word(byteCount: 1), let codeKey = reader.bytes(count: Int(keyCount)),
            let name = reader.text(), let code = reader.text()
        else { return nil }
        var entry: [UInt8] = []
        var proved: [NodeID] = []
        if !reader.rest.isEmpty {
            guard let count = reader.word(byteCount: 2), let bytes = reader.bytes(count: Int(count)),
                let nodes = reader.nodes()
            else { return nil }
            (entry, proved) = (bytes, nodes)
        }
        self.init(
            id: MeshID(high: high, low: low), name: name, newest: newest, older: older,
            codeKey: codeKey.isEmpty ? nil : codeKey, code: code.isEmpty ? nil : code,
            entry: entry.isEmpty ? nil : entry, proved: proved)
    }
}

private struct PayloadWriter {
    var bytes: [UInt8] = []

    /// Appends the low bytes of a number, big-endian.
    mutating func word(_ number: UInt64, byteCount: Int) {
        bytes += (0..<byteCount).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
    }
}

/// Each function returns nil if too few bytes are left.
private struct PayloadReader {
    var rest: ArraySlice<UInt8>

    mutating func bytes(count: Int) -> [UInt8]? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func word(byteCount: Int) -> UInt64? {
        bytes(count: byteCount).map { $0.reduce(0) { $0 << 8 | UInt64($1) } }
    }

    /// Also nil if the bytes are no UTF-8.
    mutating func text() -> String? {
        word(byteCount: 2).flatMap { bytes(count: Int($0)) }.flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// All that is left.
    mutating func nodes() -> [NodeID]? {
        var nodes: [NodeID] = []
        while !rest.isEmpty {
            guard let node = bytes(count: NodeID.byteCount).flatMap({ NodeID($0) }) else { return nil }
            nodes.append(node)
        }
        return nodes
    }

    mutating func epoch() -> StoredMesh.Epoch? {
        guard let number = word(byteCount: 4), let secret = bytes(count: StoredMesh.secretBytes) else { return nil }
        return StoredMesh.Epoch(number: UInt32(truncatingIfNeeded: number), secret: secret)
    }
}
