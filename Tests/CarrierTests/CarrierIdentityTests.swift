import Carrier
import NIOSSL
import Primitives
import Testing

@Suite("Carrier identity")
struct CarrierIdentityTests {
    /// The key of test 1 in RFC 8032 §7.1.
    private static let seed = bytes("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    /// What swift-certificates 1.21.1 made of that key.
    private static let certificate = bytes(
        """
        3081cb307fa003020102020101300506032b6570300f310d300b06035504030c046e6f64653020170d373030313031303030
        3030305a180f39393939313233313233353935395a300f310d300b06035504030c046e6f6465302a300506032b6570032100
        d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a300506032b657003410096467bf84bc312a8
        438f7a21462f424dadc2fff8104a94065a25881c45bf957a09f97ec1f8f9680b96a104d70c892f505a47e8519b577da4e1a1
        5f74c9461704
        """)

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = Array(hexadecimal.filter { !$0.isNewline })
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16)! }
    }

    @Test("the certificate has the bytes that another library gives it")
    func published() throws {
        let identity = try CarrierIdentity(seed: Self.seed)
        #expect(try identity.certificate.toDERBytes() == Self.certificate)
        #expect(identity.node.bytes.prefix(4) == [0x06, 0xE3, 0xFD, 0x8F])
    }

    @Test(
        "OpenSSL accepts the signature of the certificate, and no changed one", .enabled(if: OpenSSL.isInstalled),
        .timeLimit(.minutes(1)))
    func selfSigned() async throws {
        let openSSL = try OpenSSL()
        let certificate = try CarrierIdentity(seed: CarrierRig.freshKey()).certificate.toDERBytes()
        #expect(try await openSSL.verifies(selfSigned: certificate))
        var forged = certificate
        forged[certificate.count - 40] ^= 1
        #expect(try await !openSSL.verifies(selfSigned: forged))
    }

    @Test("a seed of another length is refused", arguments: [0, 31, 33, 64])
    func damagedSeed(count: Int) {
        #expect(throws: CarrierError.identityUnusable) {
            try CarrierIdentity(seed: [UInt8](repeating: 1, count: count))
        }
    }
}
