package import Primitives
package import StateStore
import TrustCrypto

/// The part of an identity that is shown to a person.
package struct KeptIdentity: Hashable, Sendable {
    package let node: NodeID
    /// The closed mesh of the node; nil if it is in an open one.
    package let mesh: KeptMesh?

    private init(_ key: [UInt8], in mesh: StoredMesh?) {
        node = NodeID(ofPrivateKey: key)
        self.mesh = mesh.map { KeptMesh($0) }
    }

    /// Writes the identity of a node, which may run meanwhile, to a new file of mode 0600. Durable when it returns.
    /// - Throws: `IdentityFault`.
    package static func backUp(stateOf options: RunOptions, to path: String) throws(IdentityFault) -> KeptIdentity {
        let backup = try IdentityBackup(of: options.stateDirectory)
        try backup.write(path)
        return KeptIdentity(backup.key, in: backup.mesh)
    }

    /// The warning if every user of the machine may open a backup; nil if they may not. A restore ends that, so ask
    /// before it.
    package static func warning(ofBackup path: String) -> String? {
        guard let mode = WrittenFile.modeOpenToAll(of: path) else { return nil }
        return "every user of this machine could open \(SafeText.inSentence(path)) (mode \(mode)). If somebody has "
            + "copied it, a stranger can act as this node: give it another identity (`partyline identity reset`), and "
            + "change the code of its mesh (`partyline code change`)"
    }

    /// Gives the stopped node the identity of a backup file. Durable when it returns.
    /// - Parameter replaces: whether another identity, and another closed mesh, of the node are given up.
    /// - Throws: `IdentityFault`.
    package static func restore(
        stateOf options: RunOptions, from path: String, replaces: Bool
    ) throws(IdentityFault) -> KeptIdentity {
        let backup = try IdentityBackup(path: path)
        let stopped = try StoppedIdentity(folder: options.stateDirectory, files: LinuxFileSystem())
        return KeptIdentity(backup.key, in: try stopped.restore(backup, replaces: replaces))
    }

    /// Removes the identity of a stopped node: its next start makes a new one. Durable when it returns.
    /// - Throws: `IdentityFault`.
    package static func reset(stateOf options: RunOptions) throws(IdentityFault) {
        try StoppedIdentity(folder: options.stateDirectory, files: LinuxFileSystem()).reset()
    }
}

extension NodeID {
    /// The NodeID of a private Ed25519 key, 32 raw bytes.
    init(ofPrivateKey key: [UInt8]) {
        do throws(InvalidPrivateKey) {
            // Nothing is signed or sealed here, so random bytes are never asked for.
            self = try CryptoSealing(privateKey: key, randomBytes: { Array(repeating: 0, count: $0) }).nodeID
        } catch {
            illegal("a private key of \(key.count) bytes", in: "making a NodeID")
        }
    }
}
