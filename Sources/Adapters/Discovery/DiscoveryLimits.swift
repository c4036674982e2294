package import Primitives

/// Limits and addresses of discovery.
package enum DiscoveryLimits {
    /// Multicast group of beacons, in the IPv4 Local Scope (RFC 2365 §6.1). They are sent with a TTL of 1.
    package static let beaconGroupV4 = IPAddress(v4: 239, 255, 74, 0)
    /// Multicast group of beacons, in the link-local scope. It has the T flag, because IANA has not assigned it, and a
    /// dynamic group number (RFC 4291 §2.7, RFC 3307 §4.3).
    package static let beaconGroupV6 = IPAddress(high: 0xFF12_0000_0000_0000, low: 0x8000_74FF)
    /// Port of beacons. The ports of nodes are 7400 to 7500, so no node listens on it.
    package static let beaconPort: UInt16 = 7_399
    /// The buffer for a datagram. A datagram that fills it may be truncated, and is dropped. Every beacon is shorter
    /// (`WireLimits.beaconBytesMax`).
    package static let beaconBytesMax = 2_048
    /// Time between two attempts to join a group.
    package static let beaconRetrySeconds: Int64 = 5
    /// Time after which the groups are joined again. A switch with IGMP or MLD snooping, on a network without a
    /// querier, forgets a membership after 260 s (RFC 3376 §8.4).
    package static let beaconRejoinSeconds: Int64 = 120
    /// Addresses of all interfaces that are read, and network cards.
    package static let interfaceAddressesMax = 256
    /// Time in which changes of interfaces are gathered: an interface that comes up causes a dozen messages.
    package static let interfaceDebounceMilliseconds: Int64 = 250
    /// Time before the netlink socket is opened again, or the interfaces are read again, after an error.
    package static let netlinkRetrySeconds: Int64 = 2

    /// Services that wait to be resolved. One more displaces one by lot.
    package static let servicesWaitingMax = 1_024
    /// Attempts to resolve a service. Each ends after five seconds at most.
    package static let resolveTriesMax = 3
    /// Resolvers at once. A name needs one for each pair of interface and address family.
    package static let resolversMax = 4 * MeshScale.peersMax
    /// TXT strings of a service that are read.
    package static let textEntriesMax = 16
    /// The length of a TXT string is one byte (RFC 6763 §6.1).
    package static let textEntryBytesMax = 255
    /// A service name is a DNS label (RFC 6763 §4.1.1).
    package static let serviceNameBytesMax = 63
    /// First and longest wait before Avahi is tried again.
    package static let avahiRetrySecondsMin: Int64 = 2
    package static let avahiRetrySecondsMax: Int64 = 30
    /// The wait for the thread of Avahi at the end.
    package static let avahiEndMillisecondsMax: Int64 = 1_000
    /// Alternative names that are tried after collisions.
    package static let nameCollisionsMax = 16
}
