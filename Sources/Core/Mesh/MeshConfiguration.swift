package import Primitives
import Wire

/// What a mesh node is told at its start.
package struct MeshConfiguration: Sendable {
    /// Nodes of different meshes never link.
    package var mesh: String
    package var name: SafeText
    package var role: SafeText
    package var colour: UInt32
    /// Written durably before this value was made.
    package var instance: Instance
    package var bootNonce: BootNonce
    /// TCP and UDP port on which this node listens.
    package var port: UInt16
    package var interfaces: [InterfaceAddress]
    package var invitations: InvitationPolicy
    package var blocked: [NodeID]
    /// Prefixes outside the own links that may be dialled because the user said so.
    package var reachablePrefixes: [AddressPrefix]
    /// Addresses that the user gave (`--peer`); dialled until they answer, for ever.
    package var staticPeers: [Endpoint]
    package var channels: [ChannelID]
    /// Whether the signed beacon is sent.
    package var beaconEnabled: Bool
    package var suspicion = SuspicionPolicy.standard
    package var capacity = MeshCapacity.standard
    /// Whether peers may send voice without a codec.
    package var takesPlain = false
    /// Of the control blocks of each session; drawn where nil.
    package var firstSequence: UInt32?

    package init(
        mesh: String, name: SafeText, role: SafeText, colour: UInt32, instance: Instance, bootNonce: BootNonce,
        port: UInt16, interfaces: [InterfaceAddress], invitations: InvitationPolicy, blocked: [NodeID],
        reachablePrefixes: [AddressPrefix], staticPeers: [Endpoint], channels: [ChannelID], beaconEnabled: Bool
    ) {
        self.mesh = mesh
        self.name = name
        self.role = role
        self.colour = colour
        self.instance = instance
        self.bootNonce = bootNonce
        self.port = port
        self.interfaces = interfaces
        self.invitations = invitations
        self.blocked = blocked
        self.reachablePrefixes = reachablePrefixes
        self.staticPeers = staticPeers
        self.channels = channels
        self.beaconEnabled = beaconEnabled
    }
}

package struct AddressPrefix: Hashable, Sendable {
    package var address: IPAddress
    /// Bits, counted within the address's own family.
    package var length: Int
    package init(address: IPAddress, length: Int) {
        self.address = address
        self.length = length
    }
}

/// An own address and the link it lies on.
package struct InterfaceAddress: Hashable, Sendable {
    package enum Medium: UInt8, Sendable { case wired, wireless, loopback, other }

    package var interfaceIndex: UInt32
    package var prefix: AddressPrefix
    package var medium: Medium
    /// Bridges, veth, tun and docker interfaces are used but not told to others unless named.
    package var isAdvertised: Bool
    package init(interfaceIndex: UInt32, prefix: AddressPrefix, medium: Medium, isAdvertised: Bool) {
        self.interfaceIndex = interfaceIndex
        self.prefix = prefix
        self.medium = medium
        self.isAdvertised = isAdvertised
    }
}

package enum InvitationPolicy: Hashable, Sendable {
    /// Whoever is on the mesh is linked.
    case open
    /// A person decides about every NodeID that has not been linked before.
    case ask(known: [NodeID])
    case allowList([NodeID])
}
