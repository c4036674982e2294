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
