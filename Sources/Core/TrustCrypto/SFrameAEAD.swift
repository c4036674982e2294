import Trust

/// Cipher suite 4 of RFC 9605, AES_128_GCM_SHA256_128, with one base key and key id.
///
/// libsodium derives the key, and OpenSSL encrypts: it keeps the expanded key from one datagram to the next
/// (docs/decisions/022-media-cipher.md).
package final class SFrameAEAD: MediaAEAD {
    private static let suite: [UInt8] = [0x00, 0x04]

    private let cipher: GCMCipher
    /// The salt as three big-endian numbers. The counter is XORed into the last two.
    private let salt: (UInt32, UInt32, UInt32)

    /// Derives key and salt (RFC 9605 §4.4.2). The key itself is kept by OpenSSL alone.
    /// - Parameter baseKey: may have any length; this protocol uses 32 bytes.
    package init(baseKey: [UInt8], keyID: UInt64) {
        Sodium.start()
        let secret = HKDF.extracted(from: baseKey, count: baseKey.count, salt: [])
        let suffix = SFrameAEAD.bigEndian(keyID) + SFrameAEAD.suite
        let salt = HKDF.expanded(secret, info: Array("SFrame 1.0 Secret salt ".utf8) + suffix)
        func word(_ bytes: UnsafeMutablePointer<UInt8>) -> UInt32 {
            UInt32(bigEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt32.self))
        }
        self.salt = (word(salt.pointer), word(salt.pointer + 4), word(salt.pointer + 8))
        let key = HKDF.expanded(secret, info: Array("SFrame 1.0 Secret key ".utf8) + suffix)
        cipher = GCMCipher(key: key.pointer)
    }

    package func seal(
        bodyOf datagram: inout [UInt8], from start: Int, counter: UInt64, additionalData: [UInt8]
    ) {
        withNonce(counter: counter) { nonce in
            cipher.seal(bodyOf: &datagram, from: start, nonce: nonce, additionalData: additionalData)
        }
    }

    package func open(
        _ ciphertextAndTag: ArraySlice<UInt8>, counter: UInt64, additionalData: [UInt8]
    ) -> [UInt8]? {
        withNonce(counter: counter) { nonce in
            cipher.open(ciphertextAndTag, nonce: nonce, additionalData: additionalData)
        }
    }

    /// Passes the nonce: the salt, with the counter XORed into its last eight bytes (RFC 9605 §4.4.3).
    private func withNonce<Result>(counter: UInt64, _ body: (UnsafePointer<UInt8>?) -> Result) -> Result {
        let nonce = (
            salt.0.bigEndian, (salt.1 ^ UInt32(truncatingIfNeeded: counter >> 32)).bigEndian,
            (salt.2 ^ UInt32(truncatingIfNeeded: counter)).bigEndian
        )
        return withUnsafeBytes(of: nonce) { body($0.assumingMemoryBound(to: UInt8.self).baseAddress) }
    }

    private static func bigEndian(_ value: UInt64) -> [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> UInt64($0)) }
    }
}
