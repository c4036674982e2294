/// The installation's Ed25519 key: 32 raw bytes (RFC 8032) in a file of its own, mode 0600.
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

    /// Throws where the file may be whole but cannot be read.
    func read() throws(StateFileError) -> Content {
        let bytes: [UInt8]?
        do {
            bytes = try files.read("\(folder)/\(Self.name)", bytesMax: StateLimits.recordFileBytesMax)
        } catch  where StateLimits.damageErrorNumbers.contains(error.errorNumber) {
            return .damaged
        }
        guard let bytes else { return .missing }
        return StateRecord.payload(.identity, count: Self.keyByteCount, of: bytes).map { .key($0) } ?? .damaged
    }

    /// Returns when the key is durable. A damaged file is kept aside first, never overwritten.
    func write(_ key: [UInt8], over found: Content) throws(StateFileError) {
        precondition(key.count == Self.keyByteCount, "an Ed25519 key has \(Self.keyByteCount) bytes")
        if found == .damaged { try files.setAside(folder, Self.name) }
        try files.replaceDurably(folder, Self.name, with: StateRecord.encoded(.identity, key))
    }
}
