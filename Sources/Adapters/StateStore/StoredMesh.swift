import Glibc
package import Primitives

/// The closed mesh of which this node is a member, as it lies in the state folder.
package struct StoredMesh: Hashable, Sendable {
    /// The secret of one epoch.
    package struct Epoch: Hashable, Sendable {
        /// At least 1.
        package let number: UInt32
        /// `StoredMesh.secretBytes` bytes.
        package let secret: [UInt8]

        package init(number: UInt32, secret: [UInt8]) {
            self.number = number
            self.secret = secret
        }
    }

    /// The content of a mesh file.
    package enum Reading: Hashable, Sendable {
        case mesh(StoredMesh)
        /// The node is in an open mesh.
        case missing
        /// There was a closed mesh. The node must not start in an open one instead.
        case damaged
    }

    package static let secretBytes = 32

    package let id: MeshID
    /// The name for people, 1 to `StateLimits.meshNameBytesMax` bytes of UTF-8.
    package let name: String
    package let newest: Epoch
    /// The epoch before the newest; nil if this node does not have its secret.
    package let older: Epoch?
    /// The key of the code of the mesh, `secretBytes` bytes; nil if this node cannot admit anybody.
    package let codeKey: [UInt8]?
    /// The code as a person typed it or as `init` made it, 1 to `StateLimits.codeBytesMax` bytes; nil if this node
    /// does not know it.
    package let code: String?
    /// The newest epoch entry, 1 to `StateLimits.epochEntryBytesMax` bytes; nil if the code was never changed.
    package let entry: [UInt8]?
    /// The nodes that have proved the newest epoch to this node, and those that have left by the entry and that this
    /// node, its maker, keeps. `StateLimits.rememberedMax` at most.
    package let remembered: [NodeID]

    /// Nil if a value breaks one of the bounds above, or `older` has no lower number than `newest`.
    package init?(
        id: MeshID, name: String, newest: Epoch, older: Epoch?, codeKey: [UInt8]?, code: String?,
        entry: [UInt8]? = nil, remembered: [NodeID] = []
    ) {
        let secrets = [newest.secret, older?.secret, codeKey].compactMap(\.self)
        guard (1...StateLimits.meshNameBytesMax).contains(name.utf8.count), 1 <= newest.number,
            older.map({ 1 <= $0.number && $0.number < newest.number }) ?? true,
            secrets.allSatisfy({ $0.count == StoredMesh.secretBytes }),
            code.map({ (1...StateLimits.codeBytesMax).contains($0.utf8.count) }) ?? true,
            entry.map({ (1...StateLimits.epochEntryBytesMax).contains($0.count) }) ?? true,
            remembered.count <= StateLimits.rememberedMax
        else { return nil }
        self.id = id
        self.name = name
        self.newest = newest
        self.older = older
        self.codeKey = codeKey
        self.code = code
        self.entry = entry
        self.remembered = remembered
    }
}

extension StoredMesh: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "mesh \(name), epoch \(newest.number) (hidden)" }
    package var debugDescription: String { description }
    /// Without the secrets, which `dump` would print otherwise.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension StoredMesh.Epoch: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "epoch \(number) (hidden)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The file with the closed mesh of this node: a `StateRecord` in the state folder, mode 0600.
///
/// Reading and writing block for the disk, so the node loop must not call them. A writer holds the lock of the folder.
package struct MeshFile<Files: StateFileSystem> {
    static var name: String { "mesh" }

    private let folder: String
    private let files: Files

    package init(folder: String, files: Files) {
        self.folder = folder
        self.files = files
    }

    /// The whole path of the file.
    package var path: String { "\(folder)/\(Self.name)" }

    /// - Throws: `StateFileError` if the file cannot be read now, but may be intact.
    package func read() throws(StateFileError) -> StoredMesh.Reading {
        let bytes: [UInt8]?
        do {
            bytes = try files.read(path, bytesMax: StateLimits.meshFileBytesMax)
        } catch  where StateLimits.damageErrorNumbers.contains(error.errorNumber) {
            return .damaged
        } catch  where error.errorNumber == ENOTDIR {
            return .missing
        }
        guard let bytes else { return .missing }
        let payload = StateRecord.payload(.mesh, count: StoredMesh.payloadByteCounts, of: bytes)
        return payload.flatMap { StoredMesh(payload: $0) }.map { .mesh($0) } ?? .damaged
    }

    /// Stores the mesh, and returns when it is durable. A damaged file is kept beside it, and is in its place until the
    /// new file is: without any file the node would start in an open mesh.
    /// - Parameter keepsDamaged: false to keep no damaged file, not even an earlier one: most of a secret may be in it.
    /// - Throws: the error of the file operation that failed.
    package func write(_ mesh: StoredMesh, keepsDamaged: Bool = true) throws(StateFileError) {
        let isDamaged = try keepsDamaged ? read() == .damaged : false
        if !keepsDamaged { try files.removeDamaged(folder, Self.name) }
        try files.replaceDurably(
            folder, Self.name, with: StateRecord.encoded(.mesh, mesh.payload), keepsOld: isDamaged)
    }

    /// Removes the mesh and a damaged file that was kept, and returns when that is durable. It is no error if there is
    /// none.
    /// - Throws: the error of the file operation that failed.
    package func remove() throws(StateFileError) {
        try files.removeDamaged(folder, Self.name)
        try files.removeDurably(folder, Self.name)
    }
}

extension MeshFile<LinuxFileSystem> {
    package init(folder: String) { self.init(folder: folder, files: LinuxFileSystem()) }
}

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
            + StateLimits.rememberedMax * NodeID.byteCount)
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
        for node in remembered { writer.bytes += node.bytes }
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
        var remembered: [NodeID] = []
        if !reader.rest.isEmpty {
            guard let count = reader.word(byteCount: 2), let bytes = reader.bytes(count: Int(count)),
                let nodes = reader.nodes()
            else { return nil }
            (entry, remembered) = (bytes, nodes)
        }
        self.init(
            id: MeshID(high: high, low: low), name: name, newest: newest, older: older,
            codeKey: codeKey.isEmpty ? nil : codeKey, code: code.isEmpty ? nil : code,
            entry: entry.isEmpty ? nil : entry, remembered: remembered)
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
