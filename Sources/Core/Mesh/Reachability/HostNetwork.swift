import Primitives

/// The network of this host, as far as it decides which addresses are dialled and accepted.
struct HostNetwork {
    let interfaces: [InterfaceAddress]
    /// Prefixes outside the networks of this host that the user allows.
    let reachablePrefixes: [AddressPrefix]
    /// The port on which this node listens.
    let port: UInt16
}
