package import Primitives
package import Wire

/// Parts of the status for checkers: cheap ones that they read very often, and all details of one peer.
extension MeshNode {
    /// Returns the sum of these counters, without the cost of a status.
    package func counted(_ names: [MeshCounter]) -> UInt64 { names.reduce(0) { $0 + effects.counters[$1] } }

    package var summary: MeshSummary {
        MeshSummary(
            instance: membership.own.record.instance, digest: membership.gossip.digest,
            isCliqueComplete: membership.clique.isComplete,
            peers: links.indices.map { index in
                let state = links[index].state
                let session = links[index].session
                return MeshSummary.Peer(
                    node: links[index].node, state: PeerStatus.State(state), isLeader: links[index].isLeader,
                    link: state.isLinked ? session?.link : nil, upSince: state.upSince,
                    failures: reachability[index].backoff.failures, hasCarrier: session?.carrier != nil,
                    retryAt: state.retryAt, slot: links[index].slot, path: paths[index].session?.table.chosenPath.kind,
                    via: paths[index].session?.table.chosenPath.neighbour, isTalking: paths[index].isTalking,
                    channels: membership[index].channels)
            })
    }

    /// Returns what this node knows of `peer` at `now`.
    package func peerSnapshot(into peer: NodeID, now: Instant) -> PeerSnapshot {
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
                    paths: paths[index].session?.table.paths ?? [], chosenPath: paths[index].session?.table.chosen,
                    addresses: reachability[index].addresses, dials: reachability[index].dials,
                    nextConnectRequestAt: reachability[index].connectRequests.nextAt == .distantFuture
                        ? nil : reachability[index].connectRequests.nextAt,
                    connectRequests: reachability[index].connectRequests.count,
                    wantedUntil: reachability[index].wantedUntil)
            })
    }

    /// Calls `body` with the state of every link, and with the path of those that are linked, without the cost of a
    /// status.
    package func visitLinks(_ body: (NodeID, PeerStatus.State, PathKind?) -> Void) {
        for index in links.indices {
            let state = links[index].state
            let path = state.isLinked ? paths[index].session?.table.chosenPath.kind : nil
            body(links[index].node, PeerStatus.State(state), path)
        }
    }
}
