package import Primitives

/// The cryptographic provider of a node: all its cryptography goes through this protocol, but for that of codes, which
/// is slow (`CodeCryptography`).
///
/// There are two conformers. `CryptoSealing` (module TrustCrypto) uses libsodium and OpenSSL.
/// `TransparentSealing` is for large simulations: it has the same sizes, key lifetimes and replay rules, but a
/// keyed 64-bit tag instead of cryptography. A conformer belongs to one identity and holds its signing key. It
/// takes random bytes from the source with which it was made, so that a simulation can be repeated.
package protocol Sealing: AnyObject {
    /// Raw Ed25519 public key, 32 bytes.
    var publicKey: [UInt8] { get }
    /// The NodeID of `publicKey`.
    var nodeID: NodeID { get }

    /// Returns the NodeID of a raw Ed25519 public key; nil if the key does not have 32 bytes.
    func nodeID(ofPublicKey publicKey: [UInt8]) -> NodeID?
    /// Returns random bytes that may be used as secrets.
    func randomBytes(count: Int) -> [UInt8]
    /// Returns the SHA-256 of a message: 32 bytes.
    func hash(_ message: [UInt8]) -> [UInt8]
    /// Returns the Ed25519 signature of a message by this node's key: 64 bytes.
    func signature(over message: [UInt8]) -> [UInt8]
    /// Returns whether a signature of a message is valid for a raw public key.
    func isValid(signature: [UInt8], over message: [UInt8], by publicKey: [UInt8]) -> Bool

    /// Returns a new X25519 key pair, 32 bytes each.
    func makeEphemeralKeys() -> EphemeralKeys
    /// Returns 32 bytes: HKDF-SHA256 of the X25519 shared secret. Nil if the peer's public key is invalid or a point of
    /// small order.
    func deriveKey(
        own: EphemeralKeys, peerPublicKey: [UInt8], salt: [UInt8], info: [UInt8]
    ) -> [UInt8]?
    /// Returns the AEAD of one direction of a generation, derived from its 32-byte base key (RFC 9605 §4.4.2).
    /// - Parameter keyID: enters the labels of the derivation.
    func makeAEAD(baseKey: [UInt8], keyID: UInt32) -> any MediaAEAD

    /// Encrypts with AES-128-GCM, a key of 16 bytes and a nonce of 12: returns the ciphertext and a tag of 16 bytes. A
    /// nonce must not be used twice with a key.
    func encrypted(_ plaintext: [UInt8], key: [UInt8], nonce: [UInt8], additionalData: [UInt8]) -> [UInt8]
    /// Returns the plaintext; nil if the tag is wrong.
    func decrypted(_ ciphertextAndTag: [UInt8], key: [UInt8], nonce: [UInt8], additionalData: [UInt8]) -> [UInt8]?
}

/// An X25519 key pair that is used for one generation of media keys.
package struct EphemeralKeys: Sendable {
    package let privateKey: [UInt8]
    package let publicKey: [UInt8]
    package init(privateKey: [UInt8], publicKey: [UInt8]) {
        self.privateKey = privateKey
        self.publicKey = publicKey
    }
}

/// The cipher suite AES_128_GCM_SHA256_128 of RFC 9605 with one key; the nonce is derived from the counter.
package protocol MediaAEAD: AnyObject {
    /// Encrypts the bytes of `datagram` from index `start` on, where they are, and appends the 16-byte tag. A counter
    /// must not be used twice.
    func seal(bodyOf datagram: inout [UInt8], from start: Int, counter: UInt64, additionalData: [UInt8])
    /// Returns the plaintext; nil if the tag is wrong.
    func open(_ ciphertextAndTag: ArraySlice<UInt8>, counter: UInt64, additionalData: [UInt8]) -> [UInt8]?
}
