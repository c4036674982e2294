import Primitives
import Testing
import Trust
import TrustCrypto

extension MediaAEAD {
    /// Ciphertext and tag alone.
    func seal(_ plaintext: [UInt8], counter: UInt64, additionalData: [UInt8]) -> [UInt8] {
        var sealed = plaintext
        seal(bodyOf: &sealed, from: 0, counter: counter, additionalData: additionalData)
        return sealed
    }
}

@Suite("Every provider")
struct SealingContractTests {
    @Test("has the sizes of real cryptography", arguments: Provider.allCases)
    func sizes(_ provider: Provider) throws {
        let sealing = provider.make(1)
        let keys = sealing.makeEphemeralKeys()
        #expect(sealing.publicKey.count == 32 && keys.publicKey.count == 32 && keys.privateKey.count == 32)
        #expect(sealing.signature(over: [1, 2, 3]).count == 64)
        #expect(sealing.hash([]).count == 32 && sealing.randomBytes(count: 13).count == 13)
        #expect(sealing.randomBytes(count: 0).isEmpty)
        #expect(sealing.nodeID == sealing.nodeID(ofPublicKey: sealing.publicKey))
        #expect(sealing.nodeID(ofPublicKey: [1]) == nil)
        let aead = sealing.makeAEAD(baseKey: sealing.hash([]), keyID: 5)
        for count in [0, 1, 7, 8, 100, 1_151] {
            #expect(aead.seal([UInt8](repeating: 3, count: count), counter: 9, additionalData: [1]).count == count + 16)
        }
    }

    @Test("gives the same for the same seed, and something else for another seed", arguments: Provider.allCases)
    func determinism(_ provider: Provider) {
        let (a, b, c) = (provider.make(1), provider.make(1), provider.make(2))
        #expect(a.nodeID == b.nodeID && a.nodeID != c.nodeID)
        #expect(a.signature(over: [9]) == b.signature(over: [9]))
        #expect(a.makeEphemeralKeys().publicKey == b.makeEphemeralKeys().publicKey)
        #expect(a.randomBytes(count: 32) == b.randomBytes(count: 32))
        #expect(a.randomBytes(count: 32) != c.randomBytes(count: 32))
        #expect(a.hash([1]) == c.hash([1]) && a.hash([1]) != a.hash([2]) && a.hash([0]) != a.hash([]))
    }

    @Test("accepts a signature only for its bytes and its key", arguments: Provider.allCases)
    func signatures(_ provider: Provider) {
        let (a, b) = (provider.make(1), provider.make(2))
        let message = Array("a message of some length".utf8)
        let signature = a.signature(over: message)
        #expect(b.isValid(signature: signature, over: message, by: a.publicKey))
        #expect(!b.isValid(signature: signature, over: message, by: b.publicKey))
        #expect(!b.isValid(signature: Array(signature.dropLast()), over: message, by: a.publicKey))
        #expect(!b.isValid(signature: [], over: message, by: a.publicKey))
        #expect(!b.isValid(signature: signature, over: message, by: []))
        var accepted = 0
        for index in message.indices {
            var changed = message
            changed[index] ^= 1
            if b.isValid(signature: signature, over: changed, by: a.publicKey) { accepted += 1 }
        }
        for index in signature.indices {
            var changed = signature
            changed[index] ^= 0x10
            if b.isValid(signature: changed, over: message, by: a.publicKey) { accepted += 1 }
        }
        #expect(accepted == 0)
    }

    @Test("agrees with its peer on one key, which depends on every input", arguments: Provider.allCases)
    func agreement(_ provider: Provider) throws {
        let (a, b) = (provider.make(1), provider.make(2))
        let (own, peer, other) = (a.makeEphemeralKeys(), b.makeEphemeralKeys(), b.makeEphemeralKeys())
        let key = try #require(a.deriveKey(own: own, peerPublicKey: peer.publicKey, salt: [1], info: [2]))
        #expect(key.count == 32)
        #expect(b.deriveKey(own: peer, peerPublicKey: own.publicKey, salt: [1], info: [2]) == key)
        #expect(b.deriveKey(own: other, peerPublicKey: own.publicKey, salt: [1], info: [2]) != key)
        #expect(a.deriveKey(own: own, peerPublicKey: other.publicKey, salt: [1], info: [2]) != key)
        #expect(a.deriveKey(own: own, peerPublicKey: peer.publicKey, salt: [2], info: [2]) != key)
        #expect(a.deriveKey(own: own, peerPublicKey: peer.publicKey, salt: [1], info: [1]) != key)
        #expect(a.deriveKey(own: own, peerPublicKey: peer.publicKey, salt: [1, 2], info: []) != key)
    }

    @Test("refuses a degenerate key", arguments: Provider.allCases)
    func degenerate(_ provider: Provider) {
        let sealing = provider.make(1)
        let own = sealing.makeEphemeralKeys()
        for key in [[UInt8](repeating: 0, count: 32), [], [UInt8](repeating: 1, count: 31)] {
            #expect(sealing.deriveKey(own: own, peerPublicKey: key, salt: [1], info: [2]) == nil)
        }
    }

    @Test("opens sealed bytes, and refuses changed ones", arguments: Provider.allCases)
    func sealing(_ provider: Provider) {
        let sealing = provider.make(1)
        let base = sealing.hash([1])
        let aead = sealing.makeAEAD(baseKey: base, keyID: 5)
        for count in [0, 1, 7, 8, 9, 100] {
            let plaintext = (0..<count).map { UInt8($0) }
            let sealed = aead.seal(plaintext, counter: 3, additionalData: [1, 2])
            #expect(aead.open(sealed[...], counter: 3, additionalData: [1, 2]) == plaintext)
            #expect(aead.open(([0] + sealed)[1...], counter: 3, additionalData: [1, 2]) == plaintext)
            #expect(aead.open(sealed[...], counter: 4, additionalData: [1, 2]) == nil)
            #expect(aead.open(sealed[...], counter: 3, additionalData: [1, 3]) == nil)
            #expect(aead.open(sealed[...], counter: 3, additionalData: [1, 2, 0]) == nil)
            #expect(aead.open(sealed.dropLast(), counter: 3, additionalData: [1, 2]) == nil)
            let otherKeyID = sealing.makeAEAD(baseKey: base, keyID: 6)
            #expect(otherKeyID.open(sealed[...], counter: 3, additionalData: [1, 2]) == nil)
            let otherKey = sealing.makeAEAD(baseKey: sealing.hash([2]), keyID: 5)
            #expect(otherKey.open(sealed[...], counter: 3, additionalData: [1, 2]) == nil)
            let opened = sealed.indices.filter { index in
                var changed = sealed
                changed[index] ^= 0x80
                return aead.open(changed[...], counter: 3, additionalData: [1, 2]) != nil
            }
            #expect(opened.isEmpty)
        }
        #expect(aead.open([], counter: 0, additionalData: []) == nil)
    }
}
