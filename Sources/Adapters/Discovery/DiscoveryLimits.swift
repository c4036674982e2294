package import Primitives

/// Bounds of discovery.
package enum DiscoveryLimits {
    /// Site-local administrative scope (RFC 2365 §6.2); never leaves the link: one hop.
    package static let beaconGroupV4 = IPAddress(v4: 239, 255, 74, 0)
    /// Link-local scope, not assigned by IANA and so with the T flag; a dynamic group number
    /// (RFC 4291 §2.7, RFC 3307 §4.3).
    package static let beaconGroupV6 = IPAddress(high: 0xFF12_0000_0000_0000, low: 0x8000_74FF)
    /// Below the nodes' ports, 7400 to 7500, so that no node takes it for its own.
    package static let beaconPort: UInt16 = 7_399
    package static let beaconBytesMax = 2_048
    /// Between tries to join where it failed.
    package static let beaconRetrySeconds: Int64 = 5
    package static let interfaceAddressesMax = 256
    /// Gathers a series of changes: an interface that comes up is a dozen messages.
    package static let interfaceDebounceMilliseconds: Int64 = 250
    package static let netlinkRetrySeconds: Int64 = 2

    /// Services that are followed at a time, by name; further ones are passed over.
    package static let servicesMax = MeshScale.peersMax
    /// Resolvers at work at a time: a name is there once an interface and family.
    package static let resolversMax = 4 * MeshScale.peersMax
    package static let textEntriesMax = 16
    /// A TXT string's length is one byte (RFC 6763 §6.1).
    package static let textEntryBytesMax = 255
    /// A service name is a DNS label (RFC 6763 §4.1.1).
    package static let serviceNameBytesMax = 63
    package static let avahiRetrySecondsMin: Int64 = 2
    package static let avahiRetrySecondsMax: Int64 = 30
    package static let nameCollisionsMax = 16
}
