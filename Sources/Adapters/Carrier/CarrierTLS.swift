import NIOCore
import NIOSSL
import Primitives

/// TLS as both ends speak it: 1.3 alone, Ed25519 alone, certificates both ways, judged by
/// `PeerCheck` and by nothing else.
struct CarrierTLS {
    static let applicationProtocol = "partyline/1"

    private let server: TLSConfiguration
    private let client: NIOSSLContext

    /// - Throws: `identityUnusable` where BoringSSL does not take the key or its certificate.
    init(identity: CarrierIdentity, limits: CarrierLimits) throws(CarrierError) {
        server = CarrierTLS.configuration(
            .makeServerConfiguration(
                certificateChain: [.certificate(identity.certificate)],
                privateKey: .privateKey(identity.privateKey)), identity: identity, limits: limits)
        do {
            client = try NIOSSLContext(
                configuration: CarrierTLS.configuration(
                    .makeClientConfiguration(), identity: identity, limits: limits))
        } catch {
            throw .identityUnusable
        }
    }

    /// A handler with a fresh context, 50 µs: session tickets are sealed for one context, so none
    /// from another connection is ever accepted. Throws NIOSSL's error where BoringSSL has no memory for it.
    func acceptingHandler(_ check: PeerCheck) throws -> NIOSSLServerHandler {
        let context = try NIOSSLContext(configuration: server)
        return NIOSSLServerHandler(context: context, customVerificationCallback: check.callback)
    }

    /// Throws NIOSSL's error where BoringSSL has no memory for it.
    func dialingHandler(_ check: PeerCheck) throws -> NIOSSLClientHandler {
        try NIOSSLClientHandler(context: client, serverHostname: nil, customVerificationCallback: check.callback)
    }

    private static func configuration(
        _ base: TLSConfiguration, identity: CarrierIdentity, limits: CarrierLimits
    ) -> TLSConfiguration {
        var configuration = base
        configuration.minimumTLSVersion = .tlsv13
        configuration.maximumTLSVersion = .tlsv13
        configuration.certificateChain = [.certificate(identity.certificate)]
        configuration.privateKey = .privateKey(identity.privateKey)
        // BoringSSL leaves Ed25519 out unless told; alone in the list, it also refuses RSA and ECDSA.
        configuration.verifySignatureAlgorithms = [.ed25519]
        configuration.signingSignatureAlgorithms = [.ed25519]
        // With `.none`, the callback would never run. No roots: nothing to load, nothing to trust.
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .certificates([])
        configuration.applicationProtocols = [applicationProtocol]
        configuration.shutdownTimeout = .nanoseconds(limits.closeTimeout.nanoseconds)
        return configuration
    }
}
