package import Primitives

/// The entry of an epoch, which a change of the code makes: the number of the new epoch, the nodes that stay in the
/// mesh, and those that have left it (docs/WIRE.md, "Epochs"). The secret itself is not in it.
package struct EpochEntry: Hashable, Sendable {
    package let mesh: MeshID
    /// At least 2: epoch 1 has no entry.
    package let number: UInt32
    /// 32 bytes.
    package let secretHash: [UInt8]
    /// Binds the key of the new code to the entry: 32 bytes, all zero if there is no code.
    package let codeHash: [UInt8]
    /// The raw Ed25519 public key of the node that made the change, 32 bytes.
    package let maker: [UInt8]
    /// In ascending order, as `left`.
    package let stay: [NodeID]
    /// None of them stays.
    package let left: [NodeID]

    /// - Precondition: every field is within its bounds.
    package init(
        mesh: MeshID, number: UInt32, secretHash: [UInt8], codeHash: [UInt8], maker: [UInt8], stay: [NodeID],
        left: [NodeID]
    ) {
        precondition(WireLimits.epochNumberMin <= number, "an entry of epoch \(number)")
        precondition(secretHash.count == WireSizes.secretBytes, "a hash of \(secretHash.count) bytes")
        precondition(codeHash.count == WireSizes.secretBytes, "a hash of \(codeHash.count) bytes")
        precondition(maker.count == WireSizes.publicKeyBytes, "a key of \(maker.count) bytes")
        precondition(EpochEntry.isList(stay) && EpochEntry.isList(left), "\(stay.count) stay, \(left.count) have left")
        precondition(!stay.sharesMember(with: left), "a node stays and has left")
        self.mesh = mesh
        self.number = number
        self.secretHash = secretHash
        self.codeHash = codeHash
        self.maker = maker
        self.stay = stay
        self.left = left
    }

    private static func isList(_ nodes: [NodeID]) -> Bool {
        nodes.count <= WireLimits.epochNodesMax && nodes.isAscending
    }

    private static let layout: UInt8 = 2

    /// Returns the bytes that the maker signs.
    package func encoded() -> [UInt8] {
        var writer = ByteWriter(capacity: WireLimits.epochEntryBytesMax)
        writer.u8(EpochEntry.layout)
        writer.raw(mesh.bytes)
        writer.u32(number)
        writer.raw(secretHash)
        writer.raw(codeHash)
        writer.raw(maker)
        for nodes in [stay, left] {
            writer.u16(UInt16(nodes.count))
            for node in nodes { writer.raw(node.bytes) }
        }
        return writer.bytes
    }

    /// - Throws: `truncated`; `unknownKind` for another layout; `outOfRange` for a number below 2, a list above its
    ///   bound or out of order, and for a node in both lists.
    fileprivate init(from reader: inout ByteReader) throws(WireError) {
        guard try reader.u8() == EpochEntry.layout else { throw .unknownKind }
        mesh = MeshID(high: try reader.u64(), low: try reader.u64())
        number = try reader.u32()
        secretHash = try reader.bytes(count: WireSizes.secretBytes)
        codeHash = try reader.bytes(count: WireSizes.secretBytes)
        maker = try reader.bytes(count: WireSizes.publicKeyBytes)
        stay = try reader.nodes()
        left = try reader.nodes()
        guard WireLimits.epochNumberMin <= number, !stay.sharesMember(with: left) else { throw .outOfRange }
    }
}

/// An epoch entry as it is sent. It is kept and passed on byte for byte, so that its signature stays valid.
package struct SignedEpochEntry: Hashable, Sendable {
    package let entry: EpochEntry
    /// 64 bytes.
    package let signature: [UInt8]

    /// - Precondition: the signature has 64 bytes.
    package init(_ entry: EpochEntry, signature: [UInt8]) {
        precondition(signature.count == WireSizes.signatureBytes, "a signature of \(signature.count) bytes")
        self.entry = entry
        self.signature = signature
    }

    /// Reads an entry. Its signature is not checked yet.
    /// - Throws: `oversized`, `trailing`, and the errors of the fields.
    package init(parsing bytes: [UInt8]) throws(WireError) {
        guard bytes.count <= WireLimits.epochEntryBytesMax else { throw .oversized }
        var reader = ByteReader(bytes)
        entry = try EpochEntry(from: &reader)
        signature = try reader.bytes(count: WireSizes.signatureBytes)
        try reader.finish()
    }

    /// The entry with its signature: at most `WireLimits.epochEntryBytesMax`.
    package var bytes: [UInt8] { entry.encoded() + signature }
}

/// A new epoch, for a node that stays in the mesh.
package struct EpochGrant: Hashable, Sendable {
    package var entry: SignedEpochEntry
    /// 32 bytes.
    package var secret: [UInt8]
    /// The key of the new code, 32 bytes; nil if there is none.
    package var codeKey: [UInt8]?

    package init(entry: SignedEpochEntry, secret: [UInt8], codeKey: [UInt8]?) {
        self.entry = entry
        self.secret = secret
        self.codeKey = codeKey
    }
}

extension PBEpoch {
    init(_ grant: EpochGrant) {
        self.init()
        entry = grant.entry.bytes.field
        secret = grant.secret.field
        if let codeKey = grant.codeKey { self.codeKey = codeKey.field }
    }
}

extension EpochGrant {
    init(_ fields: PBEpoch) throws(WireError) {
        self.init(
            entry: try SignedEpochEntry(parsing: fields.entry.array),
            secret: try fields.secret.array(count: WireSizes.secretBytes),
            codeKey: fields.codeKey.isEmpty ? nil : try fields.codeKey.array(count: WireSizes.secretBytes))
    }
}

extension [NodeID] {
    /// Whether the nodes are in ascending order, each of them once.
    fileprivate var isAscending: Bool { zip(self, dropFirst()).allSatisfy { $0 < $1 } }

    /// Whether a node is in both lists, which ascend.
    fileprivate func sharesMember(with other: [NodeID]) -> Bool {
        var (own, others) = (startIndex, other.startIndex)
        while own < endIndex, others < other.endIndex {
            if self[own] == other[others] { return true }
            if self[own] < other[others] { own += 1 } else { others += 1 }
        }
        return false
    }
}

extension ByteReader {
    /// Reads a list of an epoch entry.
    fileprivate mutating func nodes() throws(WireError) -> [NodeID] {
        let count = Int(try u16())
        guard count <= WireLimits.epochNodesMax else { throw .outOfRange }
        var nodes: [NodeID] = []
        for _ in 0..<count { nodes.append(NodeID(words: (try u64(), try u64(), try u64(), try u64()))) }
        guard nodes.isAscending else { throw .outOfRange }
        return nodes
    }
}
