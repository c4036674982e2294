import Crypto
import FoundationEssentials
package import NIOSSL
package import Primitives
import SwiftASN1
import X509

/// This node's identity in the forms that TLS needs, derived from the 32 bytes of the private key.
package struct CarrierIdentity {
    package let node: NodeID
    package let certificate: NIOSSLCertificate
    package let privateKey: NIOSSLPrivateKey

    /// - Parameter seed: the Ed25519 private key (RFC 8032 §5.1.5), 32 bytes.
    /// - Throws: `identityUnusable` if `seed` is not such a key, or no certificate can be made from it.
    package init(seed: [UInt8]) throws(CarrierError) {
        do {
            let key = try Curve25519.Signing.PrivateKey(rawRepresentation: seed)
            let spki = Ed25519Key.spkiPrefix + key.publicKey.rawRepresentation
            guard let node = Ed25519Key.node(ofSPKI: spki) else { throw CarrierError.identityUnusable }
            self.node = node
            certificate = try NIOSSLCertificate(bytes: CarrierIdentity.certificate(for: key), format: .der)
            privateKey = try NIOSSLPrivateKey(bytes: Ed25519Key.pkcs8Prefix + seed, format: .der)
        } catch {
            throw .identityUnusable
        }
    }

    /// Returns a self-signed certificate that contains nothing but the key: it has a constant name and no extension, is
    /// valid at any time of the clock, and has the same bytes at every start.
    private static func certificate(for key: Curve25519.Signing.PrivateKey) throws -> [UInt8] {
        let signer = Certificate.PrivateKey(key)
        let name = try DistinguishedName { CommonName("node") }
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(bytes: [1]),
            publicKey: signer.publicKey,
            notValidBefore: Date(timeIntervalSince1970: 0),
            notValidAfter: Date(timeIntervalSince1970: 253_402_300_799),  // 9999-12-31T23:59:59Z
            issuer: name,
            subject: name,
            signatureAlgorithm: .ed25519,
            extensions: Certificate.Extensions(),
            issuerPrivateKey: signer)
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }
}
