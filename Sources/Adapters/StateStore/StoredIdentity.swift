package import Primitives

/// What a state folder says while no node runs with it; reads, and changes nothing.
package struct StoredIdentity: Sendable {
    /// The Ed25519 key, 32 raw bytes.
    package let key: [UInt8]
    /// The last start's instance; nil where the counter is lost.
    package let instance: Instance?

    /// Nil where there is no whole key.
    package static func read(folder: String) throws(StateFileError) -> StoredIdentity? {
        let files = LinuxFileSystem()
        guard case .key(let key) = try IdentityFile(folder: folder, files: files).read() else { return nil }
        switch InstanceCounter(folder: folder, files: files).read() {
        case .instance(let instance), .instanceFromOneFile(let instance):
            return StoredIdentity(key: key, instance: instance)
        case .missing, .damaged:
            return StoredIdentity(key: key, instance: nil)
        }
    }
}
