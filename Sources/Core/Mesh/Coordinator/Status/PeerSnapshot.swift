package import Primitives
import Wire

/// Everything that this node knows of one peer at one instant, to explain why there is no link. Instants are of this
/// node's clock. `status` shows less.
package struct PeerSnapshot: Sendable {
    /// What records from gossip and beacons say of the peer; nil where the roster has none.
    package var known: Knowledge?
    /// The state of the peer's slot; nil where the peer has none.
    package var link: Link?

    package struct Knowledge: Sendable {
        package var instance: Instance
        package var sequence: UInt32
        package var seenAt: Instant
        /// Whether the peer was seen recently enough to be wanted and to count.
        package var isCurrent: Bool
    }

    package struct Link: Sendable {
        package var status: PeerStatus
        package var state: LinkState
        package var renewal: CarrierRenewal
        package var paths: [Path]
        /// The index in `paths` of the path that carries the voice.
        package var chosenPath: Int?
        package var addresses: AddressBook
        /// The dials of the present attempt.
        package var dials: DialPlan
        package var nextConnectRequestAt: Instant?
        package var connectRequests: Int
        /// The end of the time in which this node wants a link; in the past where it wants none.
        package var wantedUntil: Instant
    }
}

extension MeshNode {
    /// Returns what this node knows of `peer` at `now`.
    package func peerSnapshot(of peer: NodeID, now: Instant) -> PeerSnapshot {
        PeerSnapshot(
            known: membership.roster[peer].map {
                PeerSnapshot.Knowledge(
                    instance: $0.instanceSeen, sequence: $0.record.sequence, seenAt: $0.seenAt,
                    isCurrent: $0.isCurrent(now: now))
            },
            link: links.index(of: peer).map { index in
                let link = links[index]
                return PeerSnapshot.Link(
                    status: status(of: index), state: link.state, renewal: link.renewal,
                    paths: paths[index].current?.table.paths ?? [], chosenPath: paths[index].current?.table.chosen,
                    addresses: reachability[index].addresses, dials: reachability[index].dials,
                    nextConnectRequestAt: reachability[index].connectRequests.nextAt == .distantFuture
                        ? nil : reachability[index].connectRequests.nextAt,
                    connectRequests: reachability[index].connectRequests.count,
                    wantedUntil: reachability[index].wantedUntil)
            })
    }
}
