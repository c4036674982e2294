import CSodium
package import NIOSSL
package import Primitives

/// This node's identity in the forms that TLS needs, derived from the 32 bytes of the private key.
package struct CarrierIdentity {
    package let node: NodeID
    package let certificate: NIOSSLCertificate
    package let privateKey: NIOSSLPrivateKey

    /// - Parameter seed: the Ed25519 private key (RFC 8032 §5.1.5), 32 bytes.
    /// - Throws: `identityUnusable` if `seed` is not such a key, or BoringSSL does not take it or its certificate.
    package init(seed: [UInt8]) throws(CarrierError) {
        guard Ed25519Key.hasSodium, seed.count == Int(crypto_sign_SEEDBYTES) else { throw .identityUnusable }
        var publicKey = [UInt8](repeating: 0, count: Int(crypto_sign_PUBLICKEYBYTES))
        var signingKey = [UInt8](repeating: 0, count: Int(crypto_sign_SECRETKEYBYTES))
        crypto_sign_seed_keypair(&publicKey, &signingKey, seed)
        defer { sodium_memzero(&signingKey, signingKey.count) }
        let spki = Ed25519Key.spkiPrefix + publicKey
        guard let node = Ed25519Key.node(ofSPKI: spki) else { throw .identityUnusable }
        self.node = node
        let der = NodeCertificate.signed(publicKeyInfo: spki) { message in
            var signature = [UInt8](repeating: 0, count: Int(crypto_sign_BYTES))
            crypto_sign_detached(&signature, nil, message, UInt64(message.count), signingKey)
            return signature
        }
        do {
            certificate = try NIOSSLCertificate(bytes: der, format: .der)
            privateKey = try NIOSSLPrivateKey(bytes: Ed25519Key.pkcs8Prefix + seed, format: .der)
        } catch {
            throw .identityUnusable
        }
    }
}
