package import Primitives
package import Wire

/// The mesh as this node sees it, for `status`; a value, taken at any time.
package struct MeshStatus: Sendable {
    package var node: NodeID
    package var instance: Instance
    package var bootNonce: BootNonce
    package var mesh: String
    package var name: SafeText
    package var peers: [PeerStatus]
    package var matrix: [AdvertisedLinks]
    /// Whether every witnessed peer is up here and all rows that are known say the same.
    package var isCliqueComplete: Bool
    /// Nodes that are known and witnessed, this one not counted.
    package var peersKnown: Int
    package var counters: [(name: String, value: UInt64)]
    package var digest: UInt64
    package var peersAgreeingOnDigest: Int
    /// Pairs of others for which this node forwards.
    package var pairsRelayed: Int
    /// Lifeguard's local health: 0 is healthy, 8 the worst.
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
    /// When a suspected peer will be taken for dead.
    package var suspicionEndsAt: Instant?
    /// Its link comes and goes.
    package var isFlapping: Bool
    /// Of its control blocks, lost on the way here.
    package var controlLossPermille: Int
    package var isLeader: Bool
    package var link: LinkID?
    package var path: PathKind?
    /// The common neighbour that brings the datagrams, where one does.
    package var via: NodeID?
    package var endpoint: Endpoint?
    package var hasCarrier: Bool
    /// The neighbour through which the carrier goes; nil where it is a direct one.
    package var carrierVia: NodeID?
    package var rtt: Interval?
    package var lossInPermille: Int
    package var lossOutPermille: Int
    package var upSince: Instant?
    package var lastHeard: Instant?
    /// When the next attempt may start, and after how many failures in a row.
    package var retryAt: Instant?
    package var failures: Int
    package var lastFailure: String?
    package var isTalking: Bool
    package var isRecording: Bool
    package var channels: [ChannelID]
    /// What this peer says of its reception of us.
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

/// What a mesh node can be waiting for.
package enum MeshTimer: Int, CaseIterable, Sendable {
    case control, silence, probe, handshake, dial, retry, stability, gossip, linkStates, beacon, rekey, keyExpiry
    case carrier, pathProbe, record, advance, suspicion, flap, deadRetry, tunnel
}
