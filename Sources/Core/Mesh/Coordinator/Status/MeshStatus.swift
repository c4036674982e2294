package import Primitives
package import Wire

/// The mesh as this node sees it at one instant, for `status`.
package struct MeshStatus: Sendable {
    package var node: NodeID
    package var instance: Instance
    package var bootNonce: BootNonce
    package var mesh: String
    package var name: SafeText
    package var peers: [PeerStatus]
    package var matrix: [AdvertisedLinks]
    /// Whether every expected node is linked here, and the link states of every neighbour name the same nodes.
    package var isCliqueComplete: Bool
    /// Number of nodes that this node expects to be linked, without itself: seen, not leaving, not dead and not
    /// blocked.
    package var peersKnown: Int
    package var counters: [(name: String, value: UInt64)]
    package var digest: UInt64
    package var peersAgreeingOnDigest: Int
    /// Number of pairs of other nodes for which this node forwards.
    package var pairsRelayed: Int
    /// Lifeguard's local health score: 0 is healthy, 8 the worst.
    package var localHealth: Int
    package var nextDeadline: MeshDeadline?
}

package struct PeerStatus: Sendable {
    package enum State: String, Sendable, CaseIterable {
        case down, connecting, inviting, awaitingInvite, awaitingDecision, up, verifying, quarantined
    }

    package var node: NodeID
    package var name: SafeText
    package var role: SafeText
    package var colour: UInt32
    package var instance: Instance?
    package var slot: PeerSlot?
    package var state: State
    package var presence: PeerPresence
    /// When a suspected peer will count as dead.
    package var suspicionEndsAt: Instant?
    /// Whether the peer's link comes and goes.
    package var isFlapping: Bool
    /// Share of the peer's control blocks that are lost on the way to this node.
    package var controlLossPermille: Int
    package var isLeader: Bool
    package var link: LinkID?
    package var path: PathKind?
    /// The common neighbour through which the chosen path leads; nil where it leads through none.
    package var via: NodeID?
    package var endpoint: Endpoint?
    package var hasCarrier: Bool
    /// The neighbour through which the carrier goes; nil where it is direct or there is no carrier.
    package var carrierVia: NodeID?
    package var rtt: Interval?
    package var lossInPermille: Int
    package var lossOutPermille: Int
    package var upSince: Instant?
    package var lastHeard: Instant?
    /// When the next attempt may start.
    package var retryAt: Instant?
    package var failures: Int
    package var lastFailure: String?
    package var isTalking: Bool
    package var isRecording: Bool
    package var channels: [ChannelID]
    /// The peer's report on what it receives from this node.
    package var report: ReceptionReport?
}

package struct AdvertisedLinks: Sendable {
    package var node: NodeID
    package var name: SafeText
    package var entries: [AdvertisedLink]

    package init(node: NodeID, name: SafeText, entries: [AdvertisedLink]) {
        self.node = node
        self.name = name
        self.entries = entries
    }
}

/// The reasons why a mesh node waits.
package enum MeshTimer: Int, CaseIterable, Sendable {
    case control, silence, probe, handshake, dial, retry, stability, gossip, linkStates, beacon, rekey, keyExpiry
    case carrier, pathProbe, record, advance, suspicion, flap, deadRetry, tunnel
}
