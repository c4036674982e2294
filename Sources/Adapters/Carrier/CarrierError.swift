package import Primitives

/// Why a carrier service does not start; what a person can mend.
package enum CarrierError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The private key is not 32 bytes of Ed25519.
    case identityUnusable
    case portTaken(Endpoint)
    /// The address is not one of this host's.
    case addressUnavailable(Endpoint)
    /// A port below 1,024 needs a privilege.
    case notPermitted(Endpoint)
    case system(Endpoint, errno: Int32)

    package var description: String {
        switch self {
        case .identityUnusable: "the identity key is not a 32-byte Ed25519 private key"
        case .portTaken(let endpoint): "TCP port of \(endpoint) is taken"
        case .addressUnavailable(let endpoint): "\(endpoint.address) is not an address of this host"
        case .notPermitted(let endpoint): "listening on \(endpoint) is not permitted"
        case .system(let endpoint, let errno): "cannot listen on \(endpoint): errno \(errno)"
        }
    }
}
