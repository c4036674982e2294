import Primitives
import Testing
import Trust
import TrustCrypto

@Suite("Published vectors")
struct PublishedVectorTests {
    private static func number(_ bytes: [UInt8]) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    @Test("of SFrame, AES_128_GCM_SHA256_128 (RFC 9605, Appendix C)")
    func sframe() throws {
        let value = try VectorFile.values("sframe-aes-128-gcm.hex")
        let (keyID, counter) = (Self.number(try #require(value["kid"])), Self.number(try #require(value["ctr"])))
        let (plaintext, aad) = (try #require(value["pt"]), try #require(value["aad"]))
        var header: [UInt8] = []
        SFrameHeader(keyID: UInt32(keyID), counter: counter).append(to: &header)
        #expect(header + (try #require(value["metadata"])) == aad)
        let aead = SFrameAEAD(baseKey: try #require(value["base_key"]), keyID: keyID)
        let sealed = aead.seal(plaintext, counter: counter, additionalData: aad)
        #expect(header + sealed == value["ct"])
        #expect(aead.open(sealed[...], counter: counter, additionalData: aad) == plaintext)
    }

    @Test("of Ed25519 (RFC 8032), and the NodeID of its first key", arguments: [1, 2, 3, 4])
    func ed25519(_ number: Int) throws {
        let value = try VectorFile.values("curve25519.hex")
        let field = { (name: String) in try #require(value["ed25519_\(number)_\(name)"]) }
        let sealing = try CryptoSealing(
            privateKey: try field("secret"), randomBytes: { [UInt8](repeating: 0, count: $0) })
        #expect(try sealing.publicKey == field("public"))
        #expect(try sealing.signature(over: field("message")) == field("signature"))
        #expect(try sealing.isValid(signature: field("signature"), over: field("message"), by: field("public")))
        if number == 1 { #expect(try sealing.nodeID.bytes == field("node_id")) }
    }

    @Test("of X25519 (RFC 7748, section 6.1), through HKDF-SHA256")
    func x25519() throws {
        let value = try VectorFile.values("curve25519.hex")
        let secret = { (name: String) in try #require(value["x25519_\(name)_secret"]) }
        for (own, peer) in [("alice", "bob"), ("bob", "alice")] {
            let ownSecret = try secret(own)
            let sealing = try CryptoSealing(privateKey: ownSecret, randomBytes: { _ in ownSecret })
            let keys = sealing.makeEphemeralKeys()
            #expect(keys.publicKey == value["x25519_\(own)_public"])
            let key = sealing.deriveKey(
                own: keys, peerPublicKey: try #require(value["x25519_\(peer)_public"]),
                salt: try #require(value["x25519_hkdf_salt"]), info: try #require(value["x25519_hkdf_info"]))
            #expect(key == value["x25519_hkdf_key"])
        }
    }

    @Test("of HKDF with SHA-256 (RFC 5869, Appendix A.1 to A.3): the first block", arguments: [1, 2, 3])
    func hkdf(_ number: Int) throws {
        let value = try VectorFile.values("hkdf-sha256.hex")
        let field = { (name: String) in try #require(value["\(number)_\(name)"]) }
        let keyMaterial = try field("key_material")
        let key = HKDF.extracted(from: keyMaterial, count: keyMaterial.count, salt: try field("salt"))
        let (keyBytes, block) = (key.copied(), HKDF.expanded(key, info: try field("info")).copied())
        #expect(try keyBytes == field("pseudorandom_key"))
        #expect(try block == Array(field("output").prefix(32)))
    }

    /// The points of small order in RFC 7748 §6.1 and in curve25519's list (cr.yp.to/ecdh.html).
    @Test(
        "of degenerate X25519 keys are refused",
        arguments: [
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000000",
            "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
            "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        ])
    func smallOrder(_ hex: String) throws {
        let point = try VectorFile.bytes(of: hex)
        let sealing = Provider.real.make(1)
        #expect(sealing.deriveKey(own: sealing.makeEphemeralKeys(), peerPublicKey: point, salt: [], info: []) == nil)
    }

    /// By RFC 8032 §5.1.7 this signature is valid for every message.
    @Test("a public key of small order has no valid signature")
    func smallOrderSigner() {
        let neutral: [UInt8] = [1] + [UInt8](repeating: 0, count: 31)
        let signature = neutral + [UInt8](repeating: 0, count: 32)
        #expect(!Provider.real.make(1).isValid(signature: signature, over: [1, 2, 3], by: neutral))
    }

    @Test("a damaged private key is an error")
    func damagedKey() {
        for count in [0, 31, 33, 64] {
            #expect(throws: InvalidPrivateKey()) {
                try CryptoSealing(privateKey: [UInt8](repeating: 1, count: count), randomBytes: { _ in [] })
            }
        }
    }

    @Test(
        "of SHA-256 (FIPS 180-4)",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func sha256(message: String, hash: String) throws {
        #expect(try Provider.real.make(1).hash(Array(message.utf8)) == VectorFile.bytes(of: hash))
    }
}
