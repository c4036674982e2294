package import Primitives

/// The reason why a carrier service cannot start, for a person who can correct it.
package enum CarrierError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The private key is not an Ed25519 key of 32 bytes.
    case identityUnusable
    /// Another socket listens on the port.
    case portTaken(Endpoint)
    /// The address does not belong to this host.
    case addressUnavailable(Endpoint)
    /// The process lacks the privilege to listen on a port below 1,024.
    case notPermitted(Endpoint)
    /// Another error of the system.
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
