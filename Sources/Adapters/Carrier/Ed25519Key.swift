import CSodium
package import Primitives

/// Ed25519 keys in DER (RFC 8410): each form is a fixed prefix and the 32 bytes of the key.
package enum Ed25519Key {
    /// Prefix of a public key as SubjectPublicKeyInfo.
    package static let spkiPrefix: [UInt8] = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00]
    /// Prefix of a private key as PKCS #8.
    package static let pkcs8Prefix: [UInt8] = [
        0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
    ]

    /// Whether libsodium has started: asked before each use of it, from any thread.
    static let hasSodium = 0 <= sodium_init()

    /// Returns the NodeID of a public key: SHA-256 of its SubjectPublicKeyInfo. Nil if that is not an Ed25519 key in
    /// its only DER form, 44 bytes.
    package static func node(ofSPKI spki: [UInt8]) -> NodeID? {
        guard hasSodium, spki.count == spkiPrefix.count + 32, spki.starts(with: spkiPrefix) else { return nil }
        var hash = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
        crypto_hash_sha256(&hash, spki, UInt64(spki.count))
        return NodeID(hash)
    }
}
