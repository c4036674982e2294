package import Primitives

/// Every cryptographic act of a node, behind one door.
///
/// Two conformers: `CryptoSealing` (module TrustCrypto: swift-crypto) and `TransparentSealing`
/// (bulk simulation: same sizes, same key life, same replay rules, a keyed 64-bit tag in place of
/// cryptography). A conformer is made for one identity and holds its signing key; randomness for
/// keys comes from the source it was made with, so that a simulation repeats.
package protocol Sealing: AnyObject {
    /// Raw Ed25519 public key, 32 bytes.
    var publicKey: [UInt8] { get }
    /// The NodeID of `publicKey`.
    var nodeID: NodeID { get }

    /// NodeID of a raw Ed25519 public key; nil unless it is 32 bytes.
    func nodeID(ofPublicKey publicKey: [UInt8]) -> NodeID?
    /// Secret random bytes.
    func randomBytes(count: Int) -> [UInt8]
    /// SHA-256, 32 bytes.
    func hash(_ message: [UInt8]) -> [UInt8]
    /// 64 bytes by the own key.
    func signature(over message: [UInt8]) -> [UInt8]
    func isValid(signature: [UInt8], over message: [UInt8], by publicKey: [UInt8]) -> Bool

    /// A fresh X25519 pair, 32 bytes each.
    func makeEphemeralKeys() -> EphemeralKeys
    /// HKDF-SHA256 over the X25519 agreement; nil where the peer's key is degenerate.
    /// Returns 32 bytes.
    func deriveKey(
        own: EphemeralKeys, peerPublicKey: [UInt8], salt: [UInt8], info: [UInt8]
    ) -> [UInt8]?
    /// The AEAD of one direction and generation, from its 32-byte base key (RFC 9605 §4.4.2).
    /// - Parameter keyID: enters the SFrame key derivation labels.
    func makeAEAD(baseKey: [UInt8], keyID: UInt32) -> any MediaAEAD
}

package struct EphemeralKeys: Sendable {
    package let privateKey: [UInt8]
    package let publicKey: [UInt8]
    package init(privateKey: [UInt8], publicKey: [UInt8]) {
        self.privateKey = privateKey
        self.publicKey = publicKey
    }
}

/// AES_128_GCM_SHA256_128 of RFC 9605 for one key; the nonce is made from the counter.
package protocol MediaAEAD: AnyObject {
    /// Appends ciphertext and the 16-byte tag to `datagram`.
    func seal(_ plaintext: [UInt8], counter: UInt64, additionalData: [UInt8], onto datagram: inout [UInt8])
    /// Nil where the tag is wrong.
    func open(_ ciphertextAndTag: ArraySlice<UInt8>, counter: UInt64, additionalData: [UInt8]) -> [UInt8]?
}
