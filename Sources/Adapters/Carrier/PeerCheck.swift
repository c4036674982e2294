import NIOCore
package import NIOSSL
package import Primitives

/// Decides who the peer of one connection is, and remembers having been asked.
///
/// BoringSSL does not call the verification callback when a TLS 1.3 session is resumed, so that
/// the callback alone proves nothing. Each accepted connection therefore has a context of its own
/// (no ticket fits), and `confirmed` refuses a handshake in which the callback did not run.
package final class PeerCheck {
    package enum Refusal: Error, Hashable, Sendable {
        /// Not exactly one certificate, or not an Ed25519 key.
        case unusableCertificate
        case own
        case otherIdentity
        /// The handshake completed and nobody asked for the certificate.
        case skipped
        /// TLS below 1.3, or ALPN other than ours.
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

    /// Why the callback said no, where it did.
    package var refusal: Refusal? {
        if case .refused(let refusal) = outcome { refusal } else { nil }
    }

    /// For NIOSSL: replaces its own verification altogether.
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

    /// To be asked when the handshake has completed: the peer, if everything holds.
    ///
    /// - Throws: `skipped` where the callback did not run, or for another certificate; `wrongProtocol`.
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
