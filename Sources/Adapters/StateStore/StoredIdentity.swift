package import Primitives

/// The identity in a state folder, read without starting a node. The counter is not changed.
package struct StoredIdentity: Sendable {
    /// The private Ed25519 key, 32 raw bytes.
    package let key: [UInt8]
    /// The instance of the last start; nil if the counter is lost.
    package let instance: Instance?

    /// Returns nil if there is no intact key.
    /// - Throws: `StateFileError` if the key file cannot be read now, but may be intact.
    package static func read(folder: String) throws(StateFileError) -> StoredIdentity? {
        let files = LinuxFileSystem()
        guard case .key(let key) = try IdentityFile(folder: folder, files: files).read() else { return nil }
        return StoredIdentity(key: key, instance: InstanceCounter(folder: folder, files: files).read().known)
    }
}
