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
    package var digest: UInt32
    package var isCliqueComplete: Bool
    package var peers: [Peer]
}

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
                    node: links[index].node, state: PeerStatus.State(state, reachability[index].backoff),
                    isLeader: links[index].isLeader,
                    link: state.isLinked ? session?.link : nil, upSince: state.upSince,
                    failures: reachability[index].backoff.failures, hasCarrier: session?.carrier != nil,
                    retryAt: state.retryAt, slot: links[index].slot, path: paths[index].current?.table.chosenPath.kind,
                    via: paths[index].current?.table.chosenPath.neighbour, isTalking: paths[index].isTalking,
                    channels: membership[index].channels)
            })
    }

    /// Calls `body` with each linked peer, the channels to which it listens and the talk of this node that it does not
    /// play, without the cost of a status.
    package func visitListeners(_ body: (NodeID, [ChannelID], RefusedTalk) -> Void) {
        for index in links.indices where links[index].state.isLinked {
            body(links[index].node, membership[index].channels, paths[index].refusedTalk)
        }
    }

    /// Calls `body` with the state of every link, and with the path of those that are linked, without the cost of a
    /// status.
    package func visitLinks(_ body: (NodeID, PeerStatus.State, PathKind?) -> Void) {
        for index in links.indices {
            let state = links[index].state
            let path = state.isLinked ? paths[index].current?.table.chosenPath.kind : nil
            body(links[index].node, PeerStatus.State(state, reachability[index].backoff), path)
        }
    }
}
