import Testing
import Trust
import TrustCrypto

/// Cases on which implementations have failed, collected by Project Wycheproof.
@Suite("Wycheproof")
struct WycheproofTests {
    private let sealing = Provider.real.make(1)

    @Test("AES-128-GCM: what is valid is sealed so and opens, and nothing else opens")
    func aesGCM() throws {
        let rows = try VectorFile.rows("wycheproof-aes-128-gcm.txt")
        for (result, values) in rows {
            let (key, nonce, additionalData, plaintext) = (values[0], values[1], values[2], values[3])
            let sealed = values[4] + values[5]
            let opened = sealing.decrypted(sealed, key: key, nonce: nonce, additionalData: additionalData)
            let resealed = sealing.encrypted(plaintext, key: key, nonce: nonce, additionalData: additionalData)
            #expect(opened == (result == "valid" ? plaintext : nil))
            #expect((resealed == sealed) == (result == "valid"))
        }
        #expect(rows.count == 67)
    }

    @Test("Ed25519: valid signatures are accepted, and nothing else is")
    func ed25519() throws {
        let rows = try VectorFile.rows("wycheproof-ed25519.txt")
        for (result, values) in rows {
            let isValid = sealing.isValid(signature: values[2], over: values[1], by: values[0])
            #expect(isValid == (result == "valid"))
        }
        #expect(rows.count == 118)
    }

    @Test("X25519: the shared secret is right, also of keys that are not canonical, and refused if it is zero")
    func x25519() throws {
        let rows = try VectorFile.rows("wycheproof-x25519.txt")
        let (salt, info) = ([UInt8](repeating: 4, count: 32), [5, 6] as [UInt8])
        for (result, values) in rows {
            let own = EphemeralKeys(privateKey: values[0], publicKey: [])
            let key = sealing.deriveKey(own: own, peerPublicKey: values[1], salt: salt, info: info)
            let expected = sealing.keyedHash(info + [1], key: sealing.keyedHash(values[2], key: salt))
            #expect(key == (result == "valid" ? expected : nil))
        }
        #expect(rows.count == 129)
    }
}
