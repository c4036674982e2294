import CMediaCipher
import Crypto
import FoundationEssentials
import Trust

/// Cipher suite 4 of RFC 9605, AES_128_GCM_SHA256_128, with one base key and key id.
///
/// swift-crypto derives the key, and OpenSSL encrypts: it keeps the expanded key from one datagram to the next
/// (docs/decisions/022-media-cipher.md).
package final class SFrameAEAD: MediaAEAD {
    private static let suite: [UInt8] = [0x00, 0x04]
    private static let keyBytes = MEDIA_CIPHER_KEY_BYTES
    private static let nonceBytes = MEDIA_CIPHER_NONCE_BYTES
    private static let tagBytes = MEDIA_CIPHER_TAG_BYTES

    private let cipher: OpaquePointer
    /// The salt as three big-endian numbers. The counter is XORed into the last two.
    private let salt: (UInt32, UInt32, UInt32)

    /// Derives key and salt (RFC 9605 §4.4.2). The key itself is kept by OpenSSL alone.
    /// - Parameter baseKey: may have any length; this protocol uses 32 bytes.
    package init(baseKey: [UInt8], keyID: UInt64) {
        let secret = HKDF<SHA256>.extract(inputKeyMaterial: SymmetricKey(data: baseKey), salt: [UInt8]())
        func expanded(_ label: String, byteCount: Int) -> SymmetricKey {
            let info = Array(label.utf8) + SFrameAEAD.bigEndian(keyID) + SFrameAEAD.suite
            return HKDF<SHA256>.expand(pseudoRandomKey: secret, info: info, outputByteCount: byteCount)
        }
        salt = expanded("SFrame 1.0 Secret salt ", byteCount: SFrameAEAD.nonceBytes).withUnsafeBytes { bytes in
            func word(_ index: Int) -> UInt32 {
                UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self))
            }
            return (word(0), word(1), word(2))
        }
        let key = expanded("SFrame 1.0 Secret key ", byteCount: SFrameAEAD.keyBytes)
        guard let cipher = key.withUnsafeBytes({ media_cipher_new($0.baseAddress) })
        else { SFrameAEAD.trap("refuses a key") }
        self.cipher = cipher
    }

    deinit { media_cipher_free(cipher) }

    package func seal(
        bodyOf datagram: inout [UInt8], from start: Int, counter: UInt64, additionalData: [UInt8]
    ) {
        let count = CInt(datagram.count - start)
        withUnsafeBytes(of: (UInt64(0), UInt64(0))) { tag in datagram.append(contentsOf: tag) }
        let isSealed = datagram.withUnsafeMutableBufferPointer { bytes in
            withNonce(counter: counter) { nonce in
                media_cipher_seal(
                    cipher, nonce, additionalData, CInt(additionalData.count), bytes.baseAddress.map { $0 + start },
                    count)
            }
        }
        guard isSealed == 1 else { SFrameAEAD.trap("does not seal \(count) bytes") }
    }

    package func open(
        _ ciphertextAndTag: ArraySlice<UInt8>, counter: UInt64, additionalData: [UInt8]
    ) -> [UInt8]? {
        let count = ciphertextAndTag.count - SFrameAEAD.tagBytes
        guard 0 <= count else { return nil }
        var outcome: CInt = 0
        let plaintext = [UInt8](unsafeUninitializedCapacity: count) { plaintext, filled in
            outcome = ciphertextAndTag.withUnsafeBufferPointer { sealed in
                withNonce(counter: counter) { nonce in
                    media_cipher_open(
                        cipher, nonce, additionalData, CInt(additionalData.count), sealed.baseAddress, CInt(count),
                        plaintext.baseAddress)
                }
            }
            filled = outcome == 1 ? count : 0
        }
        guard 0 <= outcome else { SFrameAEAD.trap("does not open \(count) bytes") }
        return outcome == 1 ? plaintext : nil
    }

    /// Passes the nonce: the salt, with the counter XORed into its last eight bytes (RFC 9605 §4.4.3).
    private func withNonce(counter: UInt64, _ body: (UnsafePointer<UInt8>?) -> CInt) -> CInt {
        let nonce = (
            salt.0.bigEndian, (salt.1 ^ UInt32(truncatingIfNeeded: counter >> 32)).bigEndian,
            (salt.2 ^ UInt32(truncatingIfNeeded: counter)).bigEndian
        )
        return withUnsafeBytes(of: nonce) { body($0.assumingMemoryBound(to: UInt8.self).baseAddress) }
    }

    /// A bug: nothing that a stranger sends makes OpenSSL refuse.
    private static func trap(_ what: String) -> Never {
        preconditionFailure("OpenSSL \(what): \(String(cString: media_cipher_refusal()))")
    }

    private static func bigEndian(_ value: UInt64) -> [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> UInt64($0)) }
    }
}
