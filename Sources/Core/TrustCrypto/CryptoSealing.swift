import Crypto
import FoundationEssentials
package import Primitives
package import Trust

/// The private key does not have 32 bytes: the identity file is damaged.
package struct InvalidPrivateKey: Error, Hashable, Sendable {
    package init() {}
}

/// The real provider: Ed25519 (RFC 8032), X25519 (RFC 7748) and HKDF-SHA256 (RFC 5869) from
/// swift-crypto, AES-128-GCM from OpenSSL.
package final class CryptoSealing: Sealing {
    /// The DER bytes that precede the 32 bytes of the key in an Ed25519 SubjectPublicKeyInfo (RFC 8410 §4).
    private static let spkiPrefix: [UInt8] = [
        0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00,
    ]
    private static let keyBytes = 32

    package let publicKey: [UInt8]
    package let nodeID: NodeID
    private let signingKey: Curve25519.Signing.PrivateKey
    private let entropy: (Int) -> [UInt8]

    /// - Parameters:
    ///   - privateKey: the 32-byte seed of RFC 8032 §5.1.5.
    ///   - randomBytes: a cryptographic random generator, for nonces and ephemeral keys; takes the number of bytes.
    /// - Throws: `InvalidPrivateKey` if `privateKey` does not have 32 bytes.
    package init(
        privateKey: [UInt8], randomBytes: @escaping (Int) -> [UInt8]
    ) throws(InvalidPrivateKey) {
        do {
            signingKey = try Curve25519.Signing.PrivateKey(rawRepresentation: privateKey)
        } catch {
            throw InvalidPrivateKey()
        }
        entropy = randomBytes
        publicKey = Array(signingKey.publicKey.rawRepresentation)
        guard let nodeID = CryptoSealing.identity(of: publicKey) else { throw InvalidPrivateKey() }
        self.nodeID = nodeID
    }

    package func nodeID(ofPublicKey publicKey: [UInt8]) -> NodeID? { CryptoSealing.identity(of: publicKey) }

    package func randomBytes(count: Int) -> [UInt8] {
        let bytes = entropy(count)
        precondition(bytes.count == count, "the generator gave \(bytes.count) bytes of \(count)")
        return bytes
    }

    package func hash(_ message: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: message)) }

    package func signature(over message: [UInt8]) -> [UInt8] {
        do {
            return Array(try signingKey.signature(for: message))
        } catch {
            preconditionFailure("Ed25519 does not sign: \(error)")
        }
    }

    package func isValid(signature: [UInt8], over message: [UInt8], by publicKey: [UInt8]) -> Bool {
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey) else { return false }
        return key.isValidSignature(signature, for: message)
    }

    package func makeEphemeralKeys() -> EphemeralKeys {
        let privateKey = randomBytes(count: CryptoSealing.keyBytes)
        do {
            let key = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: privateKey)
            return EphemeralKeys(privateKey: privateKey, publicKey: Array(key.publicKey.rawRepresentation))
        } catch {
            preconditionFailure("X25519 refuses 32 bytes: \(error)")
        }
    }

    /// Also refuses a shared secret of zeros, which a point of small order gives with every private key (RFC 7748
    /// §6.1).
    package func deriveKey(own: EphemeralKeys, peerPublicKey: [UInt8], salt: [UInt8], info: [UInt8]) -> [UInt8]? {
        guard let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: own.privateKey),
            let peer = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: peerPublicKey),
            let shared = try? key.sharedSecretFromKeyAgreement(with: peer),
            shared.withUnsafeBytes({ $0.reduce(0, |) }) != 0
        else { return nil }
        return shared.hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: salt, sharedInfo: info, outputByteCount: CryptoSealing.keyBytes
        ).bytes
    }

    package func makeAEAD(baseKey: [UInt8], keyID: UInt32) -> any MediaAEAD {
        SFrameAEAD(baseKey: baseKey, keyID: UInt64(keyID))
    }

    package func encrypted(
        _ plaintext: [UInt8], key: [UInt8], nonce: [UInt8], additionalData: [UInt8]
    ) -> [UInt8] {
        do {
            let sealed = try AES.GCM.seal(
                plaintext, using: SymmetricKey(data: key), nonce: AES.GCM.Nonce(data: nonce),
                authenticating: additionalData)
            return Array(sealed.ciphertext) + Array(sealed.tag)
        } catch {
            preconditionFailure("AES-GCM refuses a key of \(key.count) bytes, a nonce of \(nonce.count): \(error)")
        }
    }

    package func decrypted(
        _ ciphertextAndTag: [UInt8], key: [UInt8], nonce: [UInt8], additionalData: [UInt8]
    ) -> [UInt8]? {
        guard let box = try? AES.GCM.SealedBox(combined: nonce + ciphertextAndTag),
            let plaintext = try? AES.GCM.open(box, using: SymmetricKey(data: key), authenticating: additionalData)
        else { return nil }
        return Array(plaintext)
    }

    private static func identity(of publicKey: [UInt8]) -> NodeID? {
        guard publicKey.count == keyBytes else { return nil }
        return NodeID(Array(SHA256.hash(data: spkiPrefix + publicKey)))
    }
}

extension SymmetricKey {
    var bytes: [UInt8] { withUnsafeBytes { Array($0) } }
}
