import NIOCore
import NIOSSL
import Primitives

/// The TLS configuration of both sides: only TLS 1.3, only Ed25519, and certificates of both sides, which `PeerCheck`
/// alone verifies.
struct CarrierTLS {
    static let applicationProtocol = "partyline/2"

    private let server: TLSConfiguration
    private let client: NIOSSLContext

    /// - Throws: `identityUnusable` if BoringSSL does not take the key or its certificate.
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

    /// Returns a handler with a context of its own, which takes 50 µs to make. A session ticket is valid in one context
    /// only, so no ticket of another connection is accepted.
    func acceptingHandler(_ check: PeerCheck) throws -> NIOSSLServerHandler {
        let context = try NIOSSLContext(configuration: server)
        return NIOSSLServerHandler(context: context, customVerificationCallback: check.callback)
    }

    /// Returns the handler of a connection that this node dials.
    /// - Throws: NIOSSL's error if BoringSSL has no memory for it.
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
        // BoringSSL offers Ed25519 only if it is listed. As the only entry, it excludes RSA and ECDSA.
        configuration.verifySignatureAlgorithms = [.ed25519]
        configuration.signingSignatureAlgorithms = [.ed25519]
        // With `.none`, the callback of `PeerCheck` would not run. There are no trust roots, so that none are loaded.
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .certificates([])
        configuration.applicationProtocols = [applicationProtocol]
        configuration.shutdownTimeout = .nanoseconds(limits.closeTimeout.nanoseconds)
        return configuration
    }
}
