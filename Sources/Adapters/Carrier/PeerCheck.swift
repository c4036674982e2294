import NIOCore
package import NIOSSL
package import Primitives

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
