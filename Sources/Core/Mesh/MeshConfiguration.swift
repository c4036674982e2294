package import Primitives
package import Trust
package import Wire

/// The configuration of a mesh node at its start.
package struct MeshConfiguration: Sendable {
    /// The name of the mesh.
    package var mesh: String
    /// What this node is to its mesh. A newcomer becomes a member.
    package var standing = MeshStanding.open
    package var profile: NodeProfile
    /// The instance of this start; it was durable before this value was made.
    package var instance: Instance
    package var bootNonce: BootNonce
    /// The TCP and UDP port on which this node listens.
    package var port: UInt16
    package var interfaces: [InterfaceAddress]
    package var admissionPolicy: AdmissionPolicy
    package var blocked: [NodeID]
    /// Address prefixes, outside the networks of this node, that the user allows: this node dials addresses in them,
    /// and accepts carriers from them.
    package var reachablePrefixes: [AddressPrefix]
    /// Addresses that the user gave (`--peer`). This node dials each of them again and again, except while the node
    /// that last answered at the address is linked.
    package var staticPeers: [Endpoint]
    /// The channels to which this node listens at its start.
    package var channels: [ChannelID]
    /// The channels on which this node may talk and to which it does not listen, at its start.
    package var talks: [ChannelID] = []
    /// Whether this node sends the signed beacon.
    package var beaconEnabled: Bool
    package var suspicion = SuspicionPolicy.standard
    package var capacity = MeshCapacity.standard
    /// Whether peers may send voice without a codec.
    package var takesPlain = false
    /// The peers whose private talk (voice for this node alone) and whose talk to all (voice for every linked peer)
    /// this node plays at its start. It does not play such talk of other peers.
    package var grants = TalkGrants()
    /// One less than the number of the first control block of each session; drawn at random if nil.
    package var firstSequence: UInt32?

    package init(
        mesh: String, profile: NodeProfile, instance: Instance, bootNonce: BootNonce, port: UInt16,
        interfaces: [InterfaceAddress], admissionPolicy: AdmissionPolicy, blocked: [NodeID],
        reachablePrefixes: [AddressPrefix], staticPeers: [Endpoint], channels: [ChannelID], beaconEnabled: Bool
    ) {
        self.mesh = mesh
        self.profile = profile
        self.instance = instance
        self.bootNonce = bootNonce
        self.port = port
        self.interfaces = interfaces
        self.admissionPolicy = admissionPolicy
        self.blocked = blocked
        self.reachablePrefixes = reachablePrefixes
        self.staticPeers = staticPeers
        self.channels = channels
        self.beaconEnabled = beaconEnabled
    }
}

extension MeshConfiguration {
    /// The id of the mesh. Nodes of different meshes never link.
    /// - Precondition: this node is no newcomer.
    func meshID(with sealing: any Sealing) -> MeshID {
        switch standing {
        case .open: MeshID(ofOpenMesh: mesh, sealing: sealing)
        case .member(let mesh): mesh.id
        case .newcomer: illegal("the id of the mesh", in: "a newcomer")
        }
    }
}

package struct AddressPrefix: Hashable, Sendable {
    package var address: IPAddress
    /// Prefix length in bits, counted within the address family: IPv4 or IPv6.
    package var length: Int
    package init(address: IPAddress, length: Int) {
        self.address = address
        self.length = length
    }
}

/// An address of this node and the interface that has it.
package struct InterfaceAddress: Hashable, Sendable {
    package enum Medium: UInt8, Sendable { case wired, wireless, loopback, other }

    package var interfaceIndex: UInt32
    package var prefix: AddressPrefix
    package var medium: Medium
    /// Whether other nodes are told of the address. An address of a network card is always advertised. One of a bridge,
    /// veth, tun or docker interface is used, but advertised only in two cases: the user names it, or no network card
    /// has an address, apart from link-local ones. The second case does not apply while the host has network cards and
    /// all of them are off or unplugged. A loopback address is advertised only if the user names it.
    package var isAdvertised: Bool
    package init(interfaceIndex: UInt32, prefix: AddressPrefix, medium: Medium, isAdvertised: Bool) {
        self.interfaceIndex = interfaceIndex
        self.prefix = prefix
        self.medium = medium
        self.isAdvertised = isAdvertised
    }
}

/// Which nodes of its mesh may link to this node.
package enum AdmissionPolicy: Hashable, Sendable {
    /// Every node of the mesh is linked.
    case open
    /// A person decides about every NodeID that is in neither list: those in `known` are linked, those in `denied` are
    /// refused.
    case ask(known: [NodeID], denied: [NodeID] = [])
    case allowList([NodeID])
}

/// How long a suspected peer may stay silent before it is declared dead.
package enum SuspicionPolicy: Hashable, Sendable {
    /// The time from link down to dead, at a node of good health: `least` if no neighbour has a link to the peer,
    /// `most` if a neighbour has one. `Suspicion.deadline` says when the time is longer.
    case lifeguard(least: Interval, most: Interval)
    /// A fixed wait, as in plain SWIM; for measuring the effect of Lifeguard.
    case plain(Interval)

    package static let standard = lifeguard(least: MeshLimits.suspicionMin, most: MeshLimits.suspicionMax)
}

/// How much a node keeps of other nodes and does for them: table sizes, and how many tokens each allowance holds.
///
/// Every real node has `standard`. The simulator gives some nodes less, so that a small mesh has full tables and
/// spent allowances (docs/SIMULATION.md, "Tight nodes").
package struct MeshCapacity: Hashable, Sendable {
    package static let standard = Self()

    // MARK: For one peer

    package var agreementsBurst = MeshLimits.agreementsBurst
    package var connectRequestsForwardedBurst = MeshLimits.connectRequestsForwardedPerPeerBurst
    package var linkStatesAcceptedBurst = MeshLimits.linkStatesAcceptedBurst
    package var newIdentitiesBurst = MeshLimits.newIdentitiesBurst
    package var pathChallengeBurst = MeshLimits.pathChallengeBurst
    package var recordChecksBurst = MeshLimits.recordChecksPerPeerBurst
    package var tunnelRequestsBurst = TunnelLimits.requestsPerPeerBurst
    package var versionsAnsweredBurst = MeshLimits.versionsAnsweredBurst
    package var directPathsMax = MeshLimits.directPathsMax
    /// The most records in one answer to a list of versions.
    package var recordsPerVersionsMax = MeshLimits.recordsPerVersionsMax
    /// Datagrams that one key seals before the leader offers the next key.
    package var datagramsPerKey = MediaKeyLimits.packetsMax - MediaKeyLimits.rekeyPacketsLeft

    // MARK: For one host, one pair, all

    package var beaconChecksPerSourceBurst = MeshLimits.beaconChecksPerSourceBurst
    package var relayBurst = MeshLimits.relayBurst
    package var beaconNewsBurst = MeshLimits.beaconNewsBurst
    package var joinsBurst = MeshLimits.joinsBurst
    package var joinsWaitingMax = MeshLimits.joinsWaitingMax
}
