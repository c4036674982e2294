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

/// The certificate that TLS wants from a node, in DER: version 3 of X.509 (RFC 5280 §4.1) with an Ed25519 key
/// (RFC 8410).
///
/// It contains nothing but the key: it has a constant name and no extension, is valid at any time of the clock, and has
/// the same bytes at every start. So only the key and the signature differ between nodes, and the rest is written here,
/// field by field.
enum NodeCertificate {
    /// Returns the self-signed certificate of a key.
    /// - Parameters:
    ///   - publicKeyInfo: the public key as SubjectPublicKeyInfo.
    ///   - sign: returns the Ed25519 signature of a message by the private key.
    static func signed(publicKeyInfo: [UInt8], by sign: ([UInt8]) -> [UInt8]) -> [UInt8] {
        let ed25519 = value(.sequence, value(.objectIdentifier, [0x2B, 0x65, 0x70]))
        let commonName = value(.objectIdentifier, [0x55, 0x04, 0x03]) + value(.utf8String, Array("node".utf8))
        let name = value(.sequence, value(.set, value(.sequence, commonName)))
        let beginning = value(.utcTime, Array("700101000000Z".utf8))
        let end = value(.generalizedTime, Array("99991231235959Z".utf8))

        let toBeSigned = value(
            .sequence,
            value(.version, value(.integer, [2]))  // counted from 0
                + value(.integer, [1])  // serial number
                + ed25519
                + name  // issuer
                + value(.sequence, beginning + end)
                + name  // subject
                + publicKeyInfo)
        let noUnusedBits: [UInt8] = [0]
        return value(.sequence, toBeSigned + ed25519 + value(.bitString, noUnusedBits + sign(toBeSigned)))
    }

    /// The tags of X.690 that the certificate has.
    private enum Tag: UInt8 {
        case integer = 0x02
        case bitString = 0x03
        case objectIdentifier = 0x06
        case utf8String = 0x0C
        case utcTime = 0x17
        case generalizedTime = 0x18
        case sequence = 0x30
        case set = 0x31
        case version = 0xA0
    }

    /// Returns a value in DER: tag, length, contents.
    private static func value(_ tag: Tag, _ contents: [UInt8]) -> [UInt8] {
        guard let count = UInt8(exactly: contents.count) else {
            preconditionFailure("a length of more than one byte: \(contents.count)")
        }
        return [tag.rawValue] + (count < 0x80 ? [count] : [0x81, count]) + contents
    }
}
