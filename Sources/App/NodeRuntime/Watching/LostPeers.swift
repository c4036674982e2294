package import Mesh
import Node
package import Primitives

/// The peers that were lost without a good-bye and are not back. A listener hears a beep for each that was up for a
/// while, and each split of the mesh is told once.
///
///     whole ──two or more are lost at once, and none more for `settlingTime`──▶ split ──these are back──▶ whole
///
/// One peer that is lost alone is no split, because a crash looks the same. Several peers that are lost one after
/// another are no split either. But people expect each of them back. A further split is reported while peers of an
/// earlier one are away, because some of them may never come back.
package struct LostPeers {
    /// What an event of the mesh means for one peer.
    package enum Turn: Hashable, Sendable { case lost, returned }

    /// What people are told of the whole mesh.
    package enum News: Hashable, Sendable {
        case split(lost: [NodeID])
        case healed
    }

    /// A break in the network cuts off several peers within a second or two. So the news has all of them.
    package static let settlingTime = Interval.seconds(1)
    /// Peers are lost at once if each loss comes within this time after the loss before it. One or two seconds would be
    /// too short: a peer whose packets are often lost has more time to answer, and so have all peers while this node
    /// doubts its own health.
    package static let atOnceMax = Interval.seconds(5)
    /// A peer that was up for less makes no turn when it is lost: else strangers with ever new keys could make the node
    /// beep without end.
    package static let upMin = Interval.seconds(60)
    /// How long a lost peer is a trouble: as long as the record of a peer counts after a node has seen it last. Later
    /// the peer counts as gone.
    package static let troubleMax = MeshLimits.seenMax
    /// Two lost peers are the fewest that a split takes.
    private static let splitMin = 2

    /// The linked peers, each with the instant at which its link came up.
    private var upSince: [NodeID: Instant] = [:]
    /// At most as many as there are slots, the last lost at the end.
    private var lost: [NodeID] = []
    /// The peers in `lost` whose loss was a turn, so that their return is one.
    private var turned: Set<NodeID> = []
    /// The instant at which each peer in `lost` was lost.
    private var since: [NodeID: Instant] = [:]
    /// The instant of the last loss.
    private var lostAt = Instant.zero
    /// The peers that were lost last, alone or at once, and that no split has reported. They are among `lost`, as the
    /// peers in `apart` are.
    private var untold: Set<NodeID> = []
    /// The peers that splits have cut off and that are still away, each with the instant of its split.
    private var apart: [NodeID: Instant] = [:]
    /// The peers whose links come and go. At most as many as there are slots: the mesh ends the flapping of a peer that
    /// loses its slot.
    private var flapping: Set<NodeID> = []
    /// The instant of the last split; nil once all of its peers are back and people know it.
    private var splitAt: Instant?

    package init() {}

    /// Takes an event. Returns nil if no peer is lost or back, if the link of the peer comes and goes, or if the peer
    /// was up for less than `upMin`: such changes are not reported.
    package mutating func take(_ event: MeshEvent, now: Instant) -> Turn? {
        switch event {
        case .peerDown(_, let node, _, let reason):
            let upAt = upSince.removeValue(forKey: node)
            guard reason == .silent || reason == .keysExpired else { return nil }
            lose(node, now: now)
            guard let upAt, upAt + LostPeers.upMin <= now, !flapping.contains(node) else { return nil }
            turned.insert(node)
            return .lost
        case .peerUp(_, let node, _, _):
            upSince[node] = now
            let isTurn = turned.contains(node) && !flapping.contains(node)
            forget(node)
            return isTurn ? .returned : nil
        case .peerFlapping(let node, let isFlapping):
            if isFlapping { flapping.insert(node) } else { flapping.remove(node) }
            return nil
        default:
            return nil
        }
    }

    private mutating func lose(_ node: NodeID, now: Instant) {
        lost = Array((lost.filter { $0 != node } + [node]).suffix(MeshScale.peersMax))
        if lostAt + LostPeers.atOnceMax < now { untold = [] }
        untold = untold.union([node]).intersection(lost)
        apart = apart.filter { lost.contains($0.key) }
        since[node] = now
        since = since.filter { lost.contains($0.key) }
        turned = turned.intersection(lost).subtracting([node])
        lostAt = now
    }

    /// Forgets the peers that nobody expects back.
    package mutating func keep(only isExpected: (NodeID) -> Bool) {
        for node in lost where !isExpected(node) { forget(node) }
    }

    private mutating func forget(_ node: NodeID) {
        lost.removeAll { $0 == node }
        since[node] = nil
        untold.remove(node)
        apart[node] = nil
        turned.remove(node)
    }

    /// The peers that splits have cut off within the last `troubleMax` and that are not back, and the instant of the
    /// first of these splits; nil if there are none.
    package func cutOff(now: Instant) -> (peers: [NodeID], since: Instant)? {
        let recent = apart.filter { now < $0.value + LostPeers.troubleMax }
        return recent.values.min().map { (peers: lost.filter { recent[$0] != nil }, since: $0) }
    }

    /// The peers that were lost within the last `troubleMax`, that no split has cut off and that are not back, each
    /// with the instant of its loss. The last lost is at the end.
    package func alone(now: Instant) -> [(peer: NodeID, since: Instant)] {
        lost.compactMap { peer in
            guard apart[peer] == nil, let at = since[peer], now < at + LostPeers.troubleMax else { return nil }
            return (peer: peer, since: at)
        }
    }

    /// Returns the news since the last call; nil if there is none. Call it about twice a second.
    package mutating func news(now: Instant) -> News? {
        if let splitAt, !apart.values.contains(splitAt) {
            self.splitAt = nil
            return .healed
        }
        guard LostPeers.splitMin <= untold.count, lostAt + LostPeers.settlingTime <= now else { return nil }
        defer { untold = [] }
        splitAt = lostAt
        for node in untold { apart[node] = lostAt }
        return .split(lost: lost.filter(untold.contains))
    }
}

extension LostPeers {
    /// The line of a status about the peers that splits have cut off.
    /// - Parameters:
    ///   - names: those of the peers that are not back.
    ///   - count: the number of these peers and of those that are linked.
    ///   - since: the time of day of the first of these splits.
    package static func warning(lost names: [String], of count: Int, since: String) -> String {
        "the mesh has split: \(names.count) of \(count) peers lost since \(since) (\(list(names)))"
    }

    /// The line of a status about the peers that were lost alone.
    /// - Parameter peers: the name of each, with the time of day of its loss.
    package static func warning(alone peers: [(name: String, since: String)]) -> String {
        let times = list(peers.map { "\($0.name) since \($0.since)" })
        return "lost without a good-bye: \(times); if one is gone for good: `partyline forget NAME`"
    }

    /// The peers of a sentence. A longer list would be cut where it is shown, and the remedy with it.
    private static func list(_ peers: [String]) -> String {
        let more = peers.count - namedMax
        return (peers.prefix(namedMax) + (more <= 0 ? [] : ["and \(more) more"])).joined(separator: ", ")
    }

    private static let namedMax = 8

    /// What is said of a complete mesh while lost peers are missed.
    /// - Parameter count: the number of the peers that are linked. This node is one more.
    package static func partWords(linked count: Int) -> String { "the \(count + 1) that are left hear each other" }
}

/// The lost peers that people expect back.
struct MissedPeers {
    /// Those that splits have cut off, and the instant of the first of these splits; nil if there are none.
    var cutOff: (peers: [NodeID], since: Instant)?
    /// Those that were lost alone and count as dead, each with the instant of its loss.
    var alone: [(peer: NodeID, since: Instant)]

    /// All of them.
    var nodes: Set<NodeID> { Set((cutOff?.peers ?? []) + alone.map { $0.peer }) }
}

extension NodeLoop {
    /// The lost peers that people expect back. A peer that was lost alone is among them from its death on, because the
    /// mesh itself misses it until then. People are told of a peer that comes and goes in other words.
    func missedPeers(now: Instant) -> MissedPeers {
        forgetUnexpected()
        return MissedPeers(
            cutOff: watch.lost.cutOff(now: now),
            alone: watch.lost.alone(now: now).filter { lost in
                guard let peer = core.mesh.peer(lost.peer) else { return true }
                return peer.presence.isDead && !peer.isFlapping
            })
    }

    /// Forgets the lost peers that nobody expects back: those that have said good-bye, that a change of the code has
    /// left behind, that are not let in here, or that the person has forgotten.
    func forgetUnexpected() {
        watch.lost.keep { node in
            letsIn(node) && !core.mesh.hasLeftMesh(node) && !peerDirectory.isForgotten(node)
                && core.mesh.peer(node)?.presence != .left
        }
    }
}
