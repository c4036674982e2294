package import Primitives
import Trust
package import Wire

/// The mesh as this node sees it at one instant, for `status`. `MeshNode.status(now:)` makes it.
package struct MeshStatus: Sendable {
    package var node: NodeID
    package var instance: Instance
    package var bootNonce: BootNonce
    package var mesh: String
    /// Whether everybody in the mesh has proved its secret.
    package var isClosed: Bool
    /// Whether a known member has refused this node, because a change of the code has left this node behind.
    package var isLeftBehind: Bool
    /// Another living node with the identity of this one; nil if none is seen.
    package var duplicate: SeenDuplicate?
    package var name: SafeText
    package var peers: [PeerStatus]
    package var matrix: [AdvertisedLinks]
    /// Whether this node has links to all nodes that it expects, at least one, and each of these neighbours advertises
    /// links to this node, to all other neighbours, and to no further node.
    package var isCliqueComplete: Bool
    /// The number of nodes with which this node expects a link. Such a node has a recent record that is no leaving one,
    /// is not dead, not blocked and not left behind, and the admission policy lets it in.
    package var peersKnown: Int
    package var counters: [(name: String, value: UInt64)]
    package var digest: UInt32
    package var peersAgreeingOnDigest: Int
    /// Number of pairs of other nodes for which this node forwards.
    package var pairsRelayed: Int
    /// Lifeguard's local health score: 0 is healthy, 8 the worst.
    package var localHealth: Int
    package var nextDeadline: MeshDeadline?
}

/// What one node advertises of its links.
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

extension MeshNode {
    /// Calls `body` with each other node that is in the mesh as far as this node knows: its record counts, and this
    /// node does not take it for dead. There need be no link to it.
    package func visitNodesThere(now: Instant, _ body: (NodeID, SafeText) -> Void) {
        for entry in membership.roster.entries where entry.counts(now: now) {
            body(entry.node, entry.record.profile.name)
        }
    }

    /// Calls `body` with each node with which this node expects a link. `MeshStatus.peersKnown` is their number.
    package func visitExpectedNodes(now: Instant, _ body: (NodeID) -> Void) {
        for entry in membership.roster.entries where entry.counts(now: now) && wants(entry.node) { body(entry.node) }
    }

    /// Another living node with the identity of this one; nil if no beacon of one has come lately.
    package func duplicate(now: Instant) -> SeenDuplicate? { membership.duplicate(now: now) }

    /// Returns the mesh as this node sees it at `now`.
    package func status(now: Instant) -> MeshStatus {
        let linked = links.indices.filter { links[$0].state.isLinked }
        var matrix = [
            AdvertisedLinks(
                node: node, name: membership.own.record.profile.name, entries: neighbours.map { AdvertisedLink($0) })
        ]
        for index in linked {
            let peer = links[index].node
            matrix.append(
                AdvertisedLinks(node: peer, name: membership.name(of: peer), entries: membership[index].links.entries))
        }
        return MeshStatus(
            node: node, instance: membership.own.record.instance, bootNonce: membership.own.record.bootNonce,
            mesh: configuration.mesh, isClosed: configuration.standing.isMember,
            isLeftBehind: links.epochs.leftBehindBy != nil, duplicate: duplicate(now: now),
            name: membership.own.record.profile.name, peers: peers,
            matrix: matrix, isCliqueComplete: membership.clique.isComplete,
            peersKnown: expectedCount(now: now),
            counters: effects.counters.nonZero.map { ("\($0.name)", $0.value) }, digest: membership.gossip.digest,
            peersAgreeingOnDigest: linked.count { membership[$0].recordsDigest?.value == membership.gossip.digest },
            pairsRelayed: relay.pairCount(now: now), localHealth: detector.health.score, nextDeadline: deadline)
    }
}

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

    /// Calls `body` with each linked peer, the channels to which the peer listens, the talk of this node that it does
    /// not play, and whether it feeds programme (sound that is no talk), without the cost of a status.
    package func visitListeners(
        _ body: (_ peer: NodeID, _ channels: [ChannelID], _ refused: RefusedTalk, _ feedsProgramme: Bool) -> Void
    ) {
        for index in links.indices where links[index].state.isLinked {
            let node = links[index].node
            let feedsProgramme = membership.roster[node]?.record.profile.feedsProgramme ?? false
            body(node, membership[index].channels, paths[index].refusedTalk, feedsProgramme)
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
