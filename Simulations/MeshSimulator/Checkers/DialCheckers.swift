package import Primitives

/// Promise I10: a node has at most `atOnceMax` dials under way, and starts no more dials than its `DialBudget` allows.
package struct DialsAreLimited: SafetyChecker {
    static let atOnceMax = 8

    package init() {}

    package var judgesConduct: Bool { true }

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        switch observation {
        case .dialPlaceTaken(let node, let inProgress):
            return inProgress <= Self.atOnceMax ? nil : "node \(node): \(inProgress) dials at once"
        case .dialOverspent(let node):
            return "node \(node): a dial above its budget"
        default:
            return nil
        }
    }
}

/// Promise I5: a boot advances its instance at most four times at once, and then once a minute of its own clock. So two
/// boots of one identity do not overtake each other again and again.
package struct AdvancesAreFew: SafetyChecker {
    private static let burst = 4
    private static let every = Interval.seconds(60)

    /// By node: each advance adds a minute, so this is the instant (on the node's clock) at which the boot has earned
    /// back all its advances; nil before its first advance.
    private var owedUntil: [Instant?]

    package init(nodeCount: Int) { owedUntil = Array(repeating: nil, count: nodeCount) }

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        switch observation {
        case .started(let node, _):
            owedUntil[node] = nil
            return nil
        case .advanceAsked(let node, let ownTime):
            let owed = max(owedUntil[node] ?? ownTime, ownTime) + Self.every
            owedUntil[node] = owed
            guard ownTime + Self.every * Int64(Self.burst) < owed else { return nil }
            return "node \(node) advances its counter beyond a burst of \(Self.burst) and one every \(Self.every)"
        default:
            return nil
        }
    }
}

/// Promise I5: a node uses a higher instance only when that instance is on its disk. Otherwise its process could end,
/// and its next life could use the same instance a second time.
package struct AdvancesAreDurable: SafetyChecker {
    /// By node: the highest instance that the present life has written.
    private var written: [Instance?]

    package init(nodeCount: Int) { written = Array(repeating: nil, count: nodeCount) }

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        switch observation {
        case .started(let node, _):
            written[node] = nil
            return nil
        case .counterWritten(let node, let instance):
            written[node] = max(written[node] ?? instance, instance)
            return nil
        case .advanced(let node, let instance):
            guard written[node].map({ instance <= $0 }) ?? false else {
                return "node \(node) goes on as instance \(instance), which is not on its disk"
            }
            return nil
        default:
            return nil
        }
    }
}

/// Promise I10: bounds the invitations that a node sends within any second, to all peers together. In a mesh of n nodes
/// it may send 2n, or (m + 1) · n if its own addresses changed m times in that second, but at least eight. It may send
/// one more for each boot of any node in that second.
package struct InvitationsAreFew: SafetyChecker {
    private let nodeCount: Int
    private var invitedAt: [[Instant]]
    private var movedAt: [[Instant]]
    private var bootsAt: [Instant] = []

    package init(nodeCount: Int) {
        self.nodeCount = nodeCount
        invitedAt = Array(repeating: [], count: nodeCount)
        movedAt = invitedAt
    }

    package var judgesConduct: Bool { true }

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        switch observation {
        case .started(let node, _):
            (invitedAt[node], movedAt[node]) = ([], [])
            bootsAt.append(instant)
        case .readdressed(let node): movedAt[node].append(instant)
        default: break
        }
        guard case .invited(let node, _) = observation else { return nil }
        invitedAt[node].removeAll { $0 < instant - .seconds(1) }
        movedAt[node].removeAll { $0 < instant - .seconds(1) }
        bootsAt.removeAll { $0 < instant - .seconds(1) }
        invitedAt[node].append(instant)
        let limit = max(8, nodeCount * (1 + max(1, movedAt[node].count))) + bootsAt.count
        guard limit < invitedAt[node].count else { return nil }
        return "node \(node): \(invitedAt[node].count) invitations within a second"
    }
}
