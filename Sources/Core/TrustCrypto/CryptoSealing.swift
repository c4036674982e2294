import CSodium
package import Primitives
package import Trust

/// The private key does not have 32 bytes: the identity file is damaged.
package struct InvalidPrivateKey: Error, Hashable, Sendable {
    package init() {}
}

/// The real provider: Ed25519 (RFC 8032), X25519 (RFC 7748), SHA-256 and HKDF (RFC 5869) of libsodium, AES-128-GCM of
/// OpenSSL, since libsodium has no AES with a key of 128 bits.
package final class CryptoSealing: Sealing {
    /// The DER bytes that precede the 32 bytes of the key in an Ed25519 SubjectPublicKeyInfo (RFC 8410 §4).
    private static let spkiPrefix: [UInt8] = [
        0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00,
    ]
    private static let keyBytes = 32
    private static let signatureBytes = Int(crypto_sign_BYTES)

    package let publicKey: [UInt8]
    package let nodeID: NodeID
    /// As libsodium wants it: the seed, and the public key after it.
    private let signingKey: SecretBytes
    private let entropy: (Int) -> [UInt8]

    /// - Parameters:
    ///   - privateKey: the 32-byte seed of RFC 8032 §5.1.5.
    ///   - randomBytes: a cryptographic random generator, for nonces and ephemeral keys; takes the number of bytes.
    /// - Throws: `InvalidPrivateKey` if `privateKey` does not have 32 bytes.
    package init(
        privateKey: [UInt8], randomBytes: @escaping (Int) -> [UInt8]
    ) throws(InvalidPrivateKey) {
        guard privateKey.count == CryptoSealing.keyBytes else { throw InvalidPrivateKey() }
        Sodium.start()
        entropy = randomBytes
        var publicKey = [UInt8](repeating: 0, count: CryptoSealing.keyBytes)
        signingKey = SecretBytes(count: Int(crypto_sign_SECRETKEYBYTES)) {
            crypto_sign_seed_keypair(&publicKey, $0, privateKey)
        }
        self.publicKey = publicKey
        guard let nodeID = CryptoSealing.identity(of: publicKey) else { throw InvalidPrivateKey() }
        self.nodeID = nodeID
    }

    package func nodeID(ofPublicKey publicKey: [UInt8]) -> NodeID? { CryptoSealing.identity(of: publicKey) }

    package func randomBytes(count: Int) -> [UInt8] {
        let bytes = entropy(count)
        precondition(bytes.count == count, "the generator gave \(bytes.count) bytes of \(count)")
        return bytes
    }

    package func hash(_ message: [UInt8]) -> [UInt8] { CryptoSealing.hash(message) }

    package func signature(over message: [UInt8]) -> [UInt8] {
        Sodium.filled(CryptoSealing.signatureBytes) {
            crypto_sign_detached($0, nil, message, UInt64(message.count), signingKey.pointer)
        }
    }

    /// Refuses more than RFC 8032 §5.1.7 does: a public key, or the point R of a signature, that is of small order, and
    /// a public key that is no canonical encoding. No key that was made from a seed is such a point.
    package func isValid(signature: [UInt8], over message: [UInt8], by publicKey: [UInt8]) -> Bool {
        guard signature.count == CryptoSealing.signatureBytes, publicKey.count == CryptoSealing.keyBytes else {
            return false
        }
        return crypto_sign_verify_detached(signature, message, UInt64(message.count), publicKey) == 0
    }

    package func makeEphemeralKeys() -> EphemeralKeys {
        let privateKey = randomBytes(count: CryptoSealing.keyBytes)
        return EphemeralKeys(
            privateKey: privateKey,
            publicKey: Sodium.filled(CryptoSealing.keyBytes) { crypto_scalarmult_base($0, privateKey) })
    }

    /// Also refuses a shared secret of zeros, which a point of small order gives with every private key (RFC 7748
    /// §6.1).
    package func deriveKey(own: EphemeralKeys, peerPublicKey: [UInt8], salt: [UInt8], info: [UInt8]) -> [UInt8]? {
        precondition(own.privateKey.count == CryptoSealing.keyBytes, "a private key of \(own.privateKey.count) bytes")
        guard peerPublicKey.count == CryptoSealing.keyBytes else { return nil }
        var outcome: CInt = 0
        let shared = SecretBytes(count: CryptoSealing.keyBytes) {
            outcome = crypto_scalarmult($0, own.privateKey, peerPublicKey)
        }
        guard outcome == 0 else { return nil }
        let extracted = HKDF.extracted(from: shared.pointer, count: shared.count, salt: salt)
        return HKDF.expanded(extracted, info: info).copied()
    }

    package func makeAEAD(baseKey: [UInt8], keyID: UInt32) -> any MediaAEAD {
        SFrameAEAD(baseKey: baseKey, keyID: UInt64(keyID))
    }

    package func encrypted(
        _ plaintext: [UInt8], key: [UInt8], nonce: [UInt8], additionalData: [UInt8]
    ) -> [UInt8] {
        var sealed = plaintext
        CryptoSealing.cipher(key: key, nonce: nonce)
            .seal(bodyOf: &sealed, from: 0, nonce: nonce, additionalData: additionalData)
        return sealed
    }

    package func decrypted(
        _ ciphertextAndTag: [UInt8], key: [UInt8], nonce: [UInt8], additionalData: [UInt8]
    ) -> [UInt8]? {
        CryptoSealing.cipher(key: key, nonce: nonce)
            .open(ciphertextAndTag[...], nonce: nonce, additionalData: additionalData)
    }

    private static func cipher(key: [UInt8], nonce: [UInt8]) -> GCMCipher {
        precondition(key.count == GCMCipher.keyBytes, "a key of \(key.count) bytes")
        precondition(nonce.count == GCMCipher.nonceBytes, "a nonce of \(nonce.count) bytes")
        return GCMCipher(key: key)
    }

    private static func identity(of publicKey: [UInt8]) -> NodeID? {
        guard publicKey.count == keyBytes else { return nil }
        return NodeID(hash(spkiPrefix + publicKey))
    }

    private static func hash(_ message: [UInt8]) -> [UInt8] {
        Sodium.filled(Int(crypto_hash_sha256_BYTES)) { crypto_hash_sha256($0, message, UInt64(message.count)) }
    }
}
