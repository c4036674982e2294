import Crypto
import FoundationEssentials
import Trust

/// Cipher suite 4 of RFC 9605, AES_128_GCM_SHA256_128, with one base key and key id.
package final class SFrameAEAD: MediaAEAD {
    private static let suite: [UInt8] = [0x00, 0x04]
    private static let keyBytes = 16
    private static let nonceBytes = 12
    private static let tagBytes = 16

    private let key: SymmetricKey
    private let salt: [UInt8]

    /// Derives key and salt (RFC 9605 §4.4.2).
    /// - Parameter baseKey: may have any length; this protocol uses 32 bytes.
    package init(baseKey: [UInt8], keyID: UInt64) {
        let secret = HKDF<SHA256>.extract(inputKeyMaterial: SymmetricKey(data: baseKey), salt: [UInt8]())
        func expanded(_ label: String, byteCount: Int) -> SymmetricKey {
            let info = Array(label.utf8) + SFrameAEAD.bigEndian(keyID) + SFrameAEAD.suite
            return HKDF<SHA256>.expand(pseudoRandomKey: secret, info: info, outputByteCount: byteCount)
        }
        key = expanded("SFrame 1.0 Secret key ", byteCount: SFrameAEAD.keyBytes)
        salt = expanded("SFrame 1.0 Secret salt ", byteCount: SFrameAEAD.nonceBytes).bytes
    }

    package func seal(
        _ plaintext: [UInt8], counter: UInt64, additionalData: [UInt8], onto datagram: inout [UInt8]
    ) {
        do {
            let box = try AES.GCM.seal(
                plaintext, using: key, nonce: nonce(counter: counter), authenticating: additionalData)
            guard let combined = box.combined else { preconditionFailure("a nonce of another size") }
            datagram.append(contentsOf: combined.dropFirst(SFrameAEAD.nonceBytes))
        } catch {
            preconditionFailure("AES-GCM does not seal \(plaintext.count) bytes: \(error)")
        }
    }

    package func open(
        _ ciphertextAndTag: ArraySlice<UInt8>, counter: UInt64, additionalData: [UInt8]
    ) -> [UInt8]? {
        // Nonce, ciphertext and tag are passed as one array, because `SealedBox` joins separate parts byte by byte.
        var combined = nonceBytes(counter: counter, room: ciphertextAndTag.count)
        combined.append(contentsOf: ciphertextAndTag)
        guard SFrameAEAD.tagBytes <= ciphertextAndTag.count,
            let box = try? AES.GCM.SealedBox(combined: combined),
            let plaintext = try? AES.GCM.open(box, using: key, authenticating: additionalData)
        else { return nil }
        return Array(plaintext)
    }

    /// Returns the nonce: the salt, with the counter XORed into its last eight bytes (RFC 9605 §4.4.3). The array
    /// reserves memory for `room` more bytes.
    private func nonceBytes(counter: UInt64, room: Int = 0) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(SFrameAEAD.nonceBytes + room)
        bytes.append(contentsOf: salt)
        for index in 0..<8 {
            bytes[SFrameAEAD.nonceBytes - 1 - index] ^= UInt8(truncatingIfNeeded: counter >> UInt64(8 * index))
        }
        return bytes
    }

    private func nonce(counter: UInt64) -> AES.GCM.Nonce {
        let bytes = nonceBytes(counter: counter)
        do {
            return try AES.GCM.Nonce(data: bytes)
        } catch {
            preconditionFailure("AES-GCM refuses a nonce of \(bytes.count) bytes: \(error)")
        }
    }

    private static func bigEndian(_ value: UInt64) -> [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> UInt64($0)) }
    }
}
