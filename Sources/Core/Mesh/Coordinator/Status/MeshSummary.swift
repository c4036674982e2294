package import Primitives
package import Wire

/// The part of `MeshStatus` that checkers read very often, without texts, link states and counters.
package struct MeshSummary: Sendable {
    /// The fields of `PeerStatus` that checkers need.
    package struct Peer: Sendable {
        package var node: NodeID
        package var state: PeerStatus.State
        package var isLeader: Bool
        package var link: LinkID?
        package var upSince: Instant?
        package var failures: Int
        package var hasCarrier: Bool
        package var retryAt: Instant?
        package var slot: PeerSlot
        package var path: PathKind?
        package var via: NodeID?
        package var isTalking: Bool
        package var channels: [ChannelID]
    }

    package var instance: Instance
    package var digest: UInt64
    package var isCliqueComplete: Bool
    package var peers: [Peer]
}
