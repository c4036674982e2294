import Carrier
import NIOSSL
import Primitives

/// A key of its own, as anybody can make one, and TLS with it.
struct MemberIdentity: Sendable {
    /// 32 bytes, the Ed25519 private key.
    let seed: [UInt8]
    let node: NodeID
    let context: NIOSSLContext

    /// A new one.
    init() throws {
        seed = MemberIdentity.randomBytes(count: 32)
        let identity = try CarrierIdentity(seed: seed)
        node = identity.node
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv13
        configuration.certificateChain = [.certificate(identity.certificate)]
        configuration.privateKey = .privateKey(identity.privateKey)
        configuration.verifySignatureAlgorithms = [.ed25519]
        configuration.signingSignatureAlgorithms = [.ed25519]
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .certificates([])
        configuration.applicationProtocols = ["partyline/2"]
        context = try NIOSSLContext(configuration: configuration)
    }

    /// An identity with a NodeID above 31 of 32 others. The node with the greater NodeID leads a link.
    static func great() throws -> MemberIdentity {
        while true {
            let identity = try MemberIdentity()
            if identity.node.words.0 >> 59 == 31 { return identity }
        }
    }

    /// Of the operating system.
    static func randomBytes(count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
