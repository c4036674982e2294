import CMediaCipher

/// AES-128-GCM (NIST SP 800-38D) of OpenSSL with one key, which it keeps expanded.
struct GCMCipher: ~Copyable {
    static let keyBytes = Int(MEDIA_CIPHER_KEY_BYTES)
    static let nonceBytes = Int(MEDIA_CIPHER_NONCE_BYTES)
    static let tagBytes = Int(MEDIA_CIPHER_TAG_BYTES)

    private let cipher: OpaquePointer

    /// - Parameter key: 16 bytes. OpenSSL makes a copy, and wipes it at the end.
    init(key: UnsafePointer<UInt8>) {
        guard let cipher = media_cipher_new(key) else { GCMCipher.trap("refuses a key") }
        self.cipher = cipher
    }

    deinit { media_cipher_free(cipher) }

    /// Encrypts the bytes of `datagram` from index `start` on, where they are, and appends the tag.
    /// - Parameter nonce: 12 bytes. None may be used twice.
    func seal(
        bodyOf datagram: inout [UInt8], from start: Int, nonce: UnsafePointer<UInt8>?, additionalData: [UInt8]
    ) {
        let count = CInt(datagram.count - start)
        withUnsafeBytes(of: (UInt64(0), UInt64(0))) { tag in datagram.append(contentsOf: tag) }
        let isSealed = datagram.withUnsafeMutableBufferPointer { bytes in
            media_cipher_seal(
                cipher, nonce, additionalData, CInt(additionalData.count), bytes.baseAddress.map { $0 + start }, count)
        }
        guard isSealed == 1 else { GCMCipher.trap("does not seal \(count) bytes") }
    }

    /// Returns the plaintext; nil if the tag is wrong.
    /// - Parameter nonce: 12 bytes.
    // A call that is not inlined costs 3 % of the time to open a datagram.
    @inline(__always)
    func open(
        _ ciphertextAndTag: ArraySlice<UInt8>, nonce: UnsafePointer<UInt8>?, additionalData: [UInt8]
    ) -> [UInt8]? {
        let count = ciphertextAndTag.count - GCMCipher.tagBytes
        guard 0 <= count else { return nil }
        var outcome: CInt = 0
        let plaintext = [UInt8](unsafeUninitializedCapacity: count) { plaintext, filled in
            outcome = ciphertextAndTag.withUnsafeBufferPointer { sealed in
                media_cipher_open(
                    cipher, nonce, additionalData, CInt(additionalData.count), sealed.baseAddress, CInt(count),
                    plaintext.baseAddress)
            }
            filled = outcome == 1 ? count : 0
        }
        guard 0 <= outcome else { GCMCipher.trap("does not open \(count) bytes") }
        return outcome == 1 ? plaintext : nil
    }

    /// A bug: nothing that a stranger sends makes OpenSSL refuse.
    private static func trap(_ what: String) -> Never {
        preconditionFailure("OpenSSL \(what): \(String(cString: media_cipher_refusal()))")
    }
}
