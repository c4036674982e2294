import Mesh
package import Primitives

/// Heartbeats of many nodes must not fall into step: the times between two datagrams to one peer are
/// never the same again and again. Virtual time is exact, so equal means unjittered.
package struct HeartbeatsDisperse: SafetyChecker {
    /// Equal gaps in a row that chance cannot explain.
    private static let equalGapsMax = 6
    /// Gaps between heartbeats; probes of a link in doubt are closer together and few.
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

/// Retries after one common fault must spread: the wait between a failed dial at a peer and the next at it is
/// never just a power of two, unless the node had no dial left, or no place for one, until that instant. A further
/// address of the same attempt is no retry: it comes `MeshLimits.dialStagger` after the one before (RFC 8305 §5). Nor
/// has a dial failed that is given up because one of the two refused: the wait is the one that was asked for.
package struct RetriesDisperse: SafetyChecker {
    private static let roundWaits: [Interval] = [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4)]
    private static let roundWaitsMax = 3

    private let nodeCount: Int
    private var roundWaits: [Int]
    /// By observer and peer.
    private var failedAt: [Instant?]
    private var refusedAt: [Instant?]
    private var dialledAt: [Instant?]
    /// When the next dial was earned, where it was waited for.
    private var earnedAt: [Instant?]
    /// When a dial last left its place, while all were taken.
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
            // Other addresses end a wait at once, whenever that is.
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
