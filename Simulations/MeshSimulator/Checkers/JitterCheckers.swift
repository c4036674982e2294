import Mesh
package import Primitives

/// The heartbeats of many nodes must not fall into step: the intervals between the datagrams to one peer must not be
/// equal again and again. Virtual time is exact, so equal intervals have no jitter.
package struct HeartbeatsDisperse: SafetyChecker {
    /// Number of equal intervals in a row that chance cannot explain.
    private static let equalGapsMax = 6
    /// Intervals between heartbeats. Probes of a link in verification come at shorter intervals.
    private static let heartbeat = Interval.milliseconds(110)...Interval.milliseconds(900)

    private struct History {
        var sentAt: Instant?
        var gap = Interval.zero
        var equalGaps = 0
    }

    private let nodeCount: Int
    private var histories: [History]

    package init(nodeCount: Int) {
        self.nodeCount = nodeCount
        histories = Array(repeating: History(), count: nodeCount * nodeCount)
    }

    package var kinds: ObservationKinds { .datagrams }

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        guard case .sent(let node, let target) = observation else { return nil }
        let index = node * nodeCount + target
        let gap = histories[index].sentAt.map { instant - $0 } ?? .zero
        let isEqual = gap == histories[index].gap && Self.heartbeat.contains(gap)
        histories[index].equalGaps = isEqual ? histories[index].equalGaps + 1 : 0
        histories[index].gap = gap
        histories[index].sentAt = instant
        guard Self.equalGapsMax <= histories[index].equalGaps else { return nil }
        return "node \(node): a datagram for \(target) exactly every \(gap)"
    }
}

/// After a fault that many nodes share, their retries must not come at the same instants. So it may happen at most
/// twice at one node that the next dial of a peer begins exactly 0.5, 1, 2 or 4 s after a dial of that peer failed.
/// These dials do not count:
/// - a dial that had to wait until the node had dial budget or a free dial slot;
/// - a further address of the same attempt, which follows `MeshLimits.dialStagger` after the one before (RFC 8305 §5);
/// - a dial after the peer refused this node: the dial before did not fail, and the refusal said how long to wait;
/// - a dial of a node whose own addresses or clock have changed since the failure, or whose process has gone on after a
///   pause since then.
package struct RetriesDisperse: SafetyChecker {
    private static let roundWaits: [Interval] = [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4)]
    private static let roundWaitsMax = 3

    private let nodeCount: Int
    private var roundWaits: [Int]
    /// By observer and peer.
    private var failedAt: [Instant?]
    private var refusedAt: [Instant?]
    private var dialledAt: [Instant?]
    /// When the node started a dial that its budget had just earned; nil after the next `.dialled` of the node.
    private var earnedAt: [Instant?]
    /// When a dial last freed a slot, while all slots were taken.
    private var placeFreedAt: [Instant?]

    package init(nodeCount: Int) {
        self.nodeCount = nodeCount
        earnedAt = Array(repeating: nil, count: nodeCount)
        placeFreedAt = earnedAt
        dialledAt = Array(repeating: nil, count: nodeCount * nodeCount)
        failedAt = dialledAt
        refusedAt = dialledAt
        roundWaits = Array(repeating: 0, count: nodeCount)
    }

    package var judgesConduct: Bool { true }

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        switch observation {
        case .dialEnded(let node, let peer, let hasFailed):
            guard let peer, hasFailed, refusedAt[node * nodeCount + peer] != instant else { return nil }
            failedAt[node * nodeCount + peer] = instant
            return nil
        case .refused(let node, let peer):
            refusedAt[node * nodeCount + peer] = instant
            return nil
        case .unsettled(let node):
            // Other addresses may end a wait at any instant.
            for peer in 0..<nodeCount { failedAt[node * nodeCount + peer] = nil }
            return nil
        case .dialEarned(let node):
            earnedAt[node] = instant
            return nil
        case .dialPlaceLeft(let node, let inProgress):
            if inProgress == DialsAreLimited.atOnceMax - 1 { placeFreedAt[node] = instant }
            return nil
        case .dialled(let node, let peer, _, _):
            let isDueNow = earnedAt[node] == instant || placeFreedAt[node] == instant
            earnedAt[node] = nil
            let before = dialledAt[node * nodeCount + peer]
            dialledAt[node * nodeCount + peer] = instant
            if let before, instant - before == MeshLimits.dialStagger { return nil }
            guard !isDueNow, let failed = failedAt[node * nodeCount + peer], Self.roundWaits.contains(instant - failed)
            else { return nil }
            roundWaits[node] += 1
            guard Self.roundWaitsMax <= roundWaits[node] else { return nil }
            return "node \(node): dials \(peer) exactly \(instant - failed) after a failure, once more"
        default:
            return nil
        }
    }
}
