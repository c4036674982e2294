import NIOCore
package import NIOSSL
package import Primitives

/// The TLS configuration of both sides: only TLS 1.3, only Ed25519, a post-quantum key exchange between two nodes, and
/// certificates of both sides, which `PeerCheck` alone verifies.
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
        // The keys come from both shares, so a recording can be opened only if both algorithms are broken. A peer
        // without ML-KEM, such as another maker's program, takes X25519 alone. A node in between cannot force that.
        configuration.curves = [.x25519_MLKEM768, .x25519]
        // With `.none`, the callback of `PeerCheck` would not run. There are no trust roots, so that none are loaded.
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .certificates([])
        configuration.applicationProtocols = [applicationProtocol]
        configuration.shutdownTimeout = .nanoseconds(limits.closeTimeout.nanoseconds)
        return configuration
    }
}

/// Authenticates the peer of one connection, and records whether the verification callback has run.
///
/// BoringSSL does not call the callback when a TLS 1.3 session is resumed, so the callback alone is not sufficient.
/// Each accepted connection therefore has a TLS context of its own, in which no session ticket is valid. In addition,
/// `confirmed` refuses a handshake in which the callback did not run.
package final class PeerCheck {
    /// The reason why a peer is refused.
    package enum Refusal: Error, Hashable, Sendable {
        /// There is not exactly one certificate, or its key is not Ed25519.
        case unusableCertificate
        /// The peer has this node's own key.
        case own
        /// The peer is not the expected one.
        case otherIdentity
        /// The callback did not run, or for another certificate.
        case skipped
        /// TLS is below 1.3, or the application protocol (ALPN) is another one.
        case wrongProtocol
    }

    private enum Outcome {
        case notRun
        case verified(NodeID)
        case refused(Refusal)
    }

    private let own: NodeID
    private let expected: NodeID?
    private var outcome = Outcome.notRun

    package init(own: NodeID, expected: NodeID?) {
        self.own = own
        self.expected = expected
    }

    /// The reason why the callback refused the peer; nil if it did not.
    package var refusal: Refusal? {
        if case .refused(let refusal) = outcome { refusal } else { nil }
    }

    /// The verification callback for NIOSSL; it replaces NIOSSL's own verification.
    package var callback: NIOSSLCustomVerificationCallback {
        { [self] certificates, promise in
            do throws(Refusal) {
                outcome = .verified(try identify(certificates))
                promise.succeed(.certificateVerified)
            } catch {
                outcome = .refused(error)
                promise.succeed(.failed)
            }
        }
    }

    /// Returns the peer; to be called when the handshake has completed.
    /// - Throws: `skipped` if the callback did not run or saw another certificate, `wrongProtocol`, or the reason why
    ///   the certificate is refused.
    package func confirmed(
        certificate: NIOSSLCertificate?, version: TLSVersion?, applicationProtocol: String?
    ) throws(Refusal) -> NodeID {
        guard case .verified(let node) = outcome, let certificate else { throw .skipped }
        guard try identify([certificate]) == node else { throw .skipped }
        guard version == .tlsv13, applicationProtocol == CarrierTLS.applicationProtocol else { throw .wrongProtocol }
        return node
    }

    private func identify(_ certificates: [NIOSSLCertificate]) throws(Refusal) -> NodeID {
        guard certificates.count == 1,
            let spki = try? certificates[0].extractPublicKey().toSPKIBytes(),
            let node = Ed25519Key.node(ofSPKI: spki)
        else { throw .unusableCertificate }
        guard node != own else { throw .own }
        guard expected == nil || node == expected else { throw .otherIdentity }
        return node
    }
}
