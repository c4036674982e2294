import CSodium
package import Trust

/// The real cryptography of codes: Argon2id (RFC 9106), SHA-512 and ristretto255 (RFC 9496) of libsodium.
package struct SodiumCode: CodeCryptography {
    /// Passes over the memory, and its size: as in the second recommended option of RFC 9106 §4.
    private static let passes: UInt64 = 3
    private static let memoryBytes = 64 << 20

    package init() { Sodium.start() }

    package func codeKey(of code: FoldedCode, salt: [UInt8]) -> [UInt8]? {
        precondition(salt.count == CodeSizes.saltBytes, "a salt of \(salt.count) bytes")
        let characters = code.bytes.map { CChar(bitPattern: $0) }
        var outcome: CInt = 0
        let key = Sodium.filled(CodeSizes.codeKeyBytes) {
            outcome = crypto_pwhash(
                $0, UInt64(CodeSizes.codeKeyBytes), characters, UInt64(characters.count), salt, SodiumCode.passes,
                SodiumCode.memoryBytes, crypto_pwhash_ALG_ARGON2ID13)
        }
        return outcome == 0 ? key : nil
    }

    package func hash512(_ message: [UInt8]) -> [UInt8] {
        Sodium.filled(64) { crypto_hash_sha512($0, message, UInt64(message.count)) }
    }

    package func element(ofUniform bytes: [UInt8]) -> [UInt8] {
        precondition(bytes.count == CodeSizes.uniformBytes, "\(bytes.count) uniform bytes")
        return Sodium.filled(CodeSizes.elementBytes) { crypto_core_ristretto255_from_hash($0, bytes) }
    }

    package func scalar(ofUniform bytes: [UInt8]) -> [UInt8] {
        precondition(bytes.count == CodeSizes.uniformBytes, "\(bytes.count) uniform bytes")
        return Sodium.filled(CodeSizes.scalarBytes) { crypto_core_ristretto255_scalar_reduce($0, bytes) }
    }

    package func product(of scalar: [UInt8], _ element: [UInt8]) -> [UInt8]? {
        precondition(scalar.count == CodeSizes.scalarBytes, "a scalar of \(scalar.count) bytes")
        guard element.count == CodeSizes.elementBytes else { return nil }
        var outcome: CInt = 0
        let product = Sodium.filled(CodeSizes.elementBytes) {
            outcome = crypto_scalarmult_ristretto255($0, scalar, element)
        }
        return outcome == 0 ? product : nil
    }
}
