extension Sealing {
    /// Returns HMAC-SHA-256 (RFC 2104) of a message: 32 bytes.
    /// - Precondition: the key has at most 64 bytes, the block size of SHA-256.
    package func keyedHash(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        precondition(key.count <= KeyedHash.blockBytes, "a key of \(key.count) bytes")
        let padded = key + [UInt8](repeating: 0, count: KeyedHash.blockBytes - key.count)
        let inner = hash(padded.map { $0 ^ KeyedHash.innerPad } + message)
        return hash(padded.map { $0 ^ KeyedHash.outerPad } + inner)
    }
}

private enum KeyedHash {
    static let blockBytes = 64
    static let innerPad: UInt8 = 0x36
    static let outerPad: UInt8 = 0x5C
}
