import CSodium

/// HKDF with SHA-256 (RFC 5869), by libsodium's HMAC.
package enum HKDF {
    private static let hashBytes = Int(crypto_auth_hmacsha256_BYTES)

    /// HKDF-Extract (RFC 5869 §2.2): returns the pseudorandom key, 32 bytes.
    /// - Parameter keyMaterial: `count` bytes.
    package static func extracted(
        from keyMaterial: UnsafePointer<UInt8>, count: Int, salt: [UInt8]
    ) -> SecretBytes {
        authentication(key: salt, count: salt.count) { state in
            crypto_auth_hmacsha256_update(&state, keyMaterial, UInt64(count))
        }
    }

    /// HKDF-Expand (RFC 5869 §2.3), of which the keys of this protocol need one block.
    /// - Returns: 32 bytes. A shorter length would give their beginning.
    package static func expanded(_ pseudorandomKey: borrowing SecretBytes, info: [UInt8]) -> SecretBytes {
        authentication(key: pseudorandomKey.pointer, count: pseudorandomKey.count) { state in
            crypto_auth_hmacsha256_update(&state, info + [1], UInt64(info.count + 1))
        }
    }

    /// Returns HMAC-SHA-256 (RFC 2104) of the bytes that `update` adds.
    private static func authentication(
        key: UnsafePointer<UInt8>, count: Int, _ update: (inout crypto_auth_hmacsha256_state) -> Void
    ) -> SecretBytes {
        var state = crypto_auth_hmacsha256_state()
        crypto_auth_hmacsha256_init(&state, key, count)
        update(&state)
        return SecretBytes(count: hashBytes) {
            crypto_auth_hmacsha256_final(&state, $0)
            sodium_memzero(&state, MemoryLayout<crypto_auth_hmacsha256_state>.size)
        }
    }
}
