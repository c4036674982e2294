package import Primitives
package import Wire

/// One peer as deep as this node knows it, for the question why there is no link. A value, taken at
/// any time; instants are the node's own. `status` shows less of it.
package struct PeerSnapshot: Sendable {
    /// What gossip and beacons brought of the peer; nil where nobody ever told of it.
    package var known: Knowledge?
    /// Nil where the peer has no slot: it was never sought.
    package var link: Link?

    package struct Knowledge: Sendable {
        package var instance: Instance
        package var sequence: UInt32
        package var seenAt: Instant
        /// Whether it was met lately enough to be sought and to count.
        package var isSeenRecently: Bool
    }

    package struct Link: Sendable {
        package var status: PeerStatus
        package var state: LinkState
        package var renewal: CarrierRenewal
        package var paths: [Path]
        /// The place in `paths` of the one that carries the voice.
        package var chosenPath: Int?
        package var addresses: AddressBook
        /// Of the present attempt.
        package var dials: DialPlan
        package var nextConnectRequestAt: Instant?
        package var connectRequests: Int
        /// Until when the peer is sought, where it is.
        package var wantedUntil: Instant
    }
}

extension MeshNode {
    /// What this node knows of `peer` at `now`.
    package func peerSnapshot(into peer: NodeID, now: Instant) -> PeerSnapshot {
        PeerSnapshot(
            known: roster[peer].map {
                PeerSnapshot.Knowledge(
                    instance: $0.instanceSeen, sequence: $0.record.sequence, seenAt: $0.seenAt,
                    isSeenRecently: $0.isSeenRecently(now: now))
            },
            link: peers.index(of: peer).map { index in
                let link = peers[index]
                return PeerSnapshot.Link(
                    status: status(of: link), state: link.state, renewal: link.renewal,
                    paths: link.session?.paths.paths ?? [], chosenPath: link.session?.paths.chosen,
                    addresses: link.addresses, dials: link.dials,
                    nextConnectRequestAt: link.connectRequests.nextAt == .distantFuture
                        ? nil : link.connectRequests.nextAt,
                    connectRequests: link.connectRequests.count, wantedUntil: link.wantedUntil)
            })
    }

    /// The state of every link, and the path of those that have one, without the cost of a status.
    package func visitLinks(_ body: (NodeID, PeerStatus.State, PathKind?) -> Void) {
        for index in peers.indices {
            let state = peers[index].state
            let path = state.isLinked ? peers[index].session?.paths.chosenPath.kind : nil
            body(peers[index].node, PeerStatus.State(state), path)
        }
    }
}
