extension Sealing {
    /// Returns HMAC-SHA-256 (RFC 2104) of a message: 32 bytes.
    /// - Precondition: the key has at most 64 bytes, the block size of SHA-256.
    package func keyedHash(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        KeyedHash.value(of: message, key: key, blockBytes: 64, hash)
    }
}

extension CodeCryptography {
    /// Returns HMAC-SHA-512 (RFC 2104) of a message: 64 bytes.
    /// - Precondition: the key has at most 128 bytes, the block size of SHA-512.
    package func keyedHash512(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        KeyedHash.value(of: message, key: key, blockBytes: 128, hash512)
    }
}

private enum KeyedHash {
    private static let innerPad: UInt8 = 0x36
    private static let outerPad: UInt8 = 0x5C

    static func value(of message: [UInt8], key: [UInt8], blockBytes: Int, _ hash: ([UInt8]) -> [UInt8]) -> [UInt8] {
        precondition(key.count <= blockBytes, "a key of \(key.count) bytes")
        let padded = key + [UInt8](repeating: 0, count: blockBytes - key.count)
        return hash(padded.map { $0 ^ outerPad } + hash(padded.map { $0 ^ innerPad } + message))
    }
}
