package import Primitives

/// The file with this node's private Ed25519 key: a `StateRecord` with its 32 raw bytes (RFC 8032), mode 0600.
struct IdentityFile<Files: StateFileSystem> {
    static var name: String { "identity.key" }
    static var keyByteCount: Int { 32 }

    let folder: String
    let files: Files

    enum Content: Equatable {
        case key([UInt8])
        case missing
        case damaged
    }

    /// - Throws: `StateFileError` if the file cannot be read now, but may be intact.
    func read() throws(StateFileError) -> Content {
        let bytes: [UInt8]?
        do {
            bytes = try files.read("\(folder)/\(Self.name)", bytesMax: StateLimits.recordFileBytesMax)
        } catch  where StateLimits.damageErrorNumbers.contains(error.errorNumber) {
            return .damaged
        }
        guard let bytes else { return .missing }
        let count = Self.keyByteCount...Self.keyByteCount
        return StateRecord.payload(.identity, count: count, of: bytes).map { .key($0) } ?? .damaged
    }

    /// Stores the key, and returns when it is durable. A damaged file is renamed first, never overwritten.
    /// - Throws: the error of the file operation that failed.
    func write(_ key: [UInt8], over found: Content) throws(StateFileError) {
        precondition(key.count == Self.keyByteCount, "an Ed25519 key has \(Self.keyByteCount) bytes")
        if found == .damaged { try files.setAside(folder, Self.name) }
        try files.replaceDurably(folder, Self.name, with: StateRecord.encoded(.identity, key))
    }
}

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
