import Primitives
import Testing
import Trust

/// FNV-1a, 64 bits: one number for many bytes, with other arithmetic than that under test.
private func fingerprint(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
}

extension MediaAEAD {
    fileprivate func sealed(_ plaintext: [UInt8]) -> [UInt8] {
        var datagram = plaintext
        seal(bodyOf: &datagram, from: 0, counter: 3, additionalData: [1, 2])
        return datagram
    }
}

@Suite("Sealing for simulations")
struct TransparentSealingTests {
    private static let message = (0..<41).map { UInt8($0) }

    /// A recorded run has a meaning only as long as these bytes are the same on every machine. All of it follows from
    /// the seed. The numbers come from a second implementation, in another language.
    @Test("always gives the same bytes for the same seed")
    func recorded() throws {
        let sealing = TransparentSealing(seed: 7, boot: 3)
        let own = sealing.makeEphemeralKeys()
        let other = TransparentSealing(seed: 8).makeEphemeralKeys()
        let key = try #require(
            sealing.deriveKey(own: own, peerPublicKey: other.publicKey, salt: [1, 2, 3], info: Self.message))
        let back = try #require(
            sealing.deriveKey(own: other, peerPublicKey: own.publicKey, salt: [1, 2, 3], info: Self.message))
        let hashes = Self.message.indices.flatMap { sealing.hash(Array(Self.message[..<$0])) }
        let aead = sealing.makeAEAD(baseKey: key, keyID: 0xA1B2_C3D4)
        let found: [(String, UInt64)] = [
            ("public key", fingerprint(sealing.publicKey)), ("node id", fingerprint(sealing.nodeID.bytes)),
            ("hashes", fingerprint(hashes)), ("signature", fingerprint(sealing.signature(over: Self.message))),
            ("ephemeral", fingerprint(own.privateKey + own.publicKey)), ("key", fingerprint(key)),
            ("datagram", fingerprint(aead.sealed(Self.message))),
            ("random", fingerprint(sealing.randomBytes(count: 13))),
        ]
        #expect(key == back)
        let recorded: [UInt64] = [
            0x65DB_60CB_F77C_6C85, 0x8531_0FC7_E67F_D753, 0xEC16_A730_8C45_5D34, 0x2C70_69CE_3FBF_F613,
            0xDE29_3063_8043_28B2, 0x3E12_B9EB_064F_7A91, 0x4719_8BD5_3F1E_3477, 0xA37D_A038_352F_8840,
        ]
        for ((name, value), expected) in zip(found, recorded) { #expect(value == expected, "\(name): \(value)") }
    }

    @Test("has the sizes of real cryptography")
    func sizes() throws {
        let sealing = TransparentSealing(seed: 1)
        let keys = sealing.makeEphemeralKeys()
        #expect(
            [sealing.publicKey, keys.publicKey, keys.privateKey, sealing.hash([])].map(\.count) == [32, 32, 32, 32])
        #expect(sealing.signature(over: []).count == 64)
        for count in [0, 1, 7, 8, 9] { #expect(sealing.randomBytes(count: count).count == count) }
        #expect(sealing.nodeID(ofPublicKey: sealing.publicKey) == sealing.nodeID)
        for count in [0, 31, 33] { #expect(sealing.nodeID(ofPublicKey: [UInt8](repeating: 1, count: count)) == nil) }
        let aead = sealing.makeAEAD(baseKey: [1], keyID: 1)
        for count in [0, 1, 7, 8, 9, 100] {
            #expect(aead.sealed([UInt8](repeating: 1, count: count)).count == count + 16)
        }
    }

    @Test("another seed is another node, and another boot of a node has other keys")
    func seeds() {
        let (a, b, later) = (
            TransparentSealing(seed: 1), TransparentSealing(seed: 2), TransparentSealing(seed: 1, boot: 1)
        )
        #expect(a.nodeID != b.nodeID && a.nodeID == later.nodeID && a.publicKey == later.publicKey)
        #expect(a.makeEphemeralKeys().publicKey != later.makeEphemeralKeys().publicKey)
    }

    @Test("a signature is valid only for its bytes and its key")
    func signatures() {
        let (a, b) = (TransparentSealing(seed: 1), TransparentSealing(seed: 2))
        let signature = a.signature(over: Self.message)
        #expect(b.isValid(signature: signature, over: Self.message, by: a.publicKey))
        #expect(!b.isValid(signature: signature, over: Self.message, by: b.publicKey))
        #expect(!b.isValid(signature: signature, over: Self.message + [0], by: a.publicKey))
        #expect(!b.isValid(signature: [], over: Self.message, by: a.publicKey))
        // A key of another size has no valid signature, whatever its bytes.
        for count in [0, 31, 33] {
            let key = Array((a.publicKey + [0]).prefix(count))
            #expect(!b.isValid(signature: signature, over: Self.message, by: key))
        }
    }

    @Test("degenerate keys give no agreement: all zeros, and sizes other than 32")
    func degenerate() {
        let sealing = TransparentSealing(seed: 1)
        let own = sealing.makeEphemeralKeys()
        func agrees(_ key: [UInt8]) -> Bool {
            sealing.deriveKey(own: own, peerPublicKey: key, salt: [1], info: [2]) != nil
        }
        #expect(!agrees([UInt8](repeating: 0, count: 32)) && agrees([UInt8](repeating: 0, count: 31) + [1]))
        #expect(!agrees([UInt8](repeating: 1, count: 31)) && !agrees([UInt8](repeating: 1, count: 33)) && !agrees([]))
    }

    @Test(
        "sealed bytes open unchanged, and not with a changed bit, counter or header", arguments: [0, 7, 8, 9])
    func tags(_ count: Int) {
        let aead = TransparentSealing(seed: 1).makeAEAD(baseKey: [1], keyID: 1)
        let plaintext = Array(Self.message[..<count])
        let sealed = aead.sealed(plaintext)
        func opens(_ bytes: [UInt8], counter: UInt64 = 3, _ additionalData: [UInt8] = [1, 2]) -> Bool {
            aead.open(bytes[...], counter: counter, additionalData: additionalData) != nil
        }
        #expect(aead.open(([9] + sealed)[1...], counter: 3, additionalData: [1, 2]) == plaintext)
        #expect(!opens(sealed, counter: 4) && !opens(sealed, [1, 3]) && !opens(sealed, [1, 2, 0]))
        #expect(!opens(Array(sealed.dropLast())) && !opens(Array(sealed.suffix(15))) && !opens([]))
        let opened = sealed.indices.filter { index in
            var changed = sealed
            changed[index] ^= 0x80
            return opens(changed)
        }
        #expect(opened == [])
    }
}
