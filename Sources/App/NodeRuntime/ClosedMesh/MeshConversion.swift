import Primitives
import StateStore
import Trust
import TrustCrypto
import Wire

/// The closed mesh between its two forms: `StoredMesh` on disk, and `ClosedMesh` and `MeshGrant` in Core.
extension ClosedMesh {
    /// Nil if Core refuses the secrets or the entry, which it never does for a `StoredMesh` from `MeshFile.known`.
    init?(_ stored: StoredMesh, with sealing: any Sealing) {
        var secrets: [EpochSecret] = []
        for epoch in [stored.newest] + (stored.older.map { [$0] } ?? []) {
            guard let secret = EpochSecret(number: epoch.number, bytes: epoch.secret) else { return nil }
            secrets.append(secret)
        }
        guard stored.hasSoundEntry else { return nil }
        let entry = stored.entry.flatMap { try? SignedEpochEntry(parsing: $0) }
        self.init(
            id: stored.id, name: stored.name, secrets: secrets, codeKey: stored.codeKey, entry: entry, with: sealing)
        recall(stored.remembered, with: sealing)
    }
}

extension StoredMesh {
    /// Whether the entry can be read and is of the newest epoch, or there is none. A node that lost its entry would let
    /// nodes in that have left.
    var hasSoundEntry: Bool {
        guard let entry else { return true }
        return (try? SignedEpochEntry(parsing: entry))?.entry.number == newest.number
    }

    /// The mesh of a running member.
    /// - Parameter code: the code to this code key, as it was typed; nil if this node does not know it.
    init?(_ mesh: ClosedMesh, code: String?) {
        let epochs = mesh.secrets.map { Epoch(number: $0.number, secret: $0.bytes) }
        self.init(
            id: mesh.id, name: mesh.name, newest: epochs[0], older: epochs.dropFirst().first, codeKey: mesh.codeKey,
            code: code, entry: mesh.entry?.bytes, remembered: mesh.remembered)
    }

    /// The mesh that a member gave to this newcomer.
    /// - Parameter code: the code with which the node came in; nil for a pairing code. It is kept if it is the code
    ///   of the mesh.
    init?(_ grant: MeshGrant, code: TypedCode?, codeKey: [UInt8]) {
        self.init(
            id: grant.mesh, name: grant.name, newest: Epoch(number: grant.epoch, secret: grant.secret), older: nil,
            codeKey: grant.codeKey, code: grant.codeKey == codeKey ? code?.typed : nil)
    }

    /// A new mesh with a code: a random id, and the first epoch. Nil if the name is not valid.
    static func founded(name: String, code: TypedCode, codeKey: [UInt8]) -> StoredMesh? {
        StoredMesh(
            id: MeshID(high: OSRandom.number(), low: OSRandom.number()), name: name,
            newest: Epoch(number: 1, secret: OSRandom.bytes(count: secretBytes)), older: nil, codeKey: codeKey,
            code: code.typed)
    }
}

extension TypedCode {
    /// Returns the key of the code: Argon2id, which takes a tenth of a second and 64 MiB. Nil without that much memory.
    func key() -> [UInt8]? { folded.key(of: .mesh) }

    /// Returns the key of the code for a channel, 32 bytes, in a tenth of a second. Nil without the memory for that.
    func key(of channel: ChannelID) -> [UInt8]? { SodiumCode().codeKey(of: folded, salt: CodeSalt.of(channel)) }
}

extension PairingCode {
    /// Returns the key of the code, as `TypedCode.key`.
    func key() -> [UInt8]? { FoldedCode(digits)?.key(of: .pairing) }
}

extension FoldedCode {
    fileprivate func key(of kind: CodeKind) -> [UInt8]? {
        // Only its hash function is used, so any key pair will do.
        let sealing = try? CryptoSealing(
            privateKey: OSRandom.bytes(count: 32), randomBytes: OSRandom.bytes(count:))
        return sealing.flatMap { SodiumCode().codeKey(of: self, salt: CodeSalt.ofMesh(kind, with: $0)) }
    }
}
