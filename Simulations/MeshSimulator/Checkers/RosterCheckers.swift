import Mesh
package import Primitives

/// Promise I15: for each observer and peer, up and down alternate, and a slot has one holder at a time.
package struct RosterAlternates: SafetyChecker {
    private let nodeCount: Int
    private var upSlot: [Int?]

    package init(nodeCount: Int) {
        self.nodeCount = nodeCount
        upSlot = Array(repeating: nil, count: nodeCount * nodeCount)
    }

    package var judgesConduct: Bool { true }

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        switch observation {
        case .started(let node, _), .stopped(let node):
            for peer in 0..<nodeCount { upSlot[node * nodeCount + peer] = nil }
            return nil
        case .peerUp(let observer, let peer, let slot, _):
            let row = observer * nodeCount
            guard upSlot[row + peer] == nil else { return "node \(observer): \(peer) up twice" }
            for other in 0..<nodeCount where upSlot[row + other] == slot {
                return "node \(observer): slot \(slot) given to \(peer) while \(other) has it"
            }
            upSlot[row + peer] = slot
            return nil
        case .peerDown(let observer, let peer, let slot, _, _):
            guard upSlot[observer * nodeCount + peer] == slot else {
                return "node \(observer): \(peer) down in slot \(slot) without having come up there"
            }
            upSlot[observer * nodeCount + peer] = nil
            return nil
        default:
            return nil
        }
    }
}

/// Promise L11: a node reports to its person at most six losses of one link in a minute. While the link flaps (comes
/// and goes), the node reports only that it flaps.
///
/// If two losses come at once, `FlapDamping` lets the next one pass after 16 s, and each further one after 18 s. So a
/// minute has at most five, which is within the bound.
package struct TurnsAreFew: SafetyChecker {
    private static let window = Interval.seconds(60)
    private static let turnsMax = 6

    private let nodeCount: Int
    private var isFlapping: [Bool]
    private var reportedAt: [[Instant]]

    package init(nodeCount: Int) {
        self.nodeCount = nodeCount
        isFlapping = Array(repeating: false, count: nodeCount * nodeCount)
        reportedAt = Array(repeating: [], count: nodeCount * nodeCount)
    }

    package var judgesConduct: Bool { true }

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        switch observation {
        case .started(let node, _):
            for peer in 0..<nodeCount {
                isFlapping[node * nodeCount + peer] = false
                reportedAt[node * nodeCount + peer] = []
            }
            return nil
        case .flapping(let observer, let peer, let isFlapping):
            self.isFlapping[observer * nodeCount + peer] = isFlapping
            return nil
        case .peerDown(let observer, let peer, _, _, let reason):
            let index = observer * nodeCount + peer
            guard reason.isFlap, !isFlapping[index] else { return nil }
            reportedAt[index].removeAll { $0 <= instant - Self.window }
            reportedAt[index].append(instant)
            guard Self.turnsMax < reportedAt[index].count else { return nil }
            return "node \(observer): \(reportedAt[index].count) losses of \(peer) reported within \(Self.window)"
        default:
            return nil
        }
    }
}

/// Promise I9: no node gets a link with itself, and each peer with which it gets a link is a node of the world.
package struct PeersAreOthers: SafetyChecker {
    package init() {}

    package var judgesConduct: Bool { true }

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        switch observation {
        case .peerUp(let observer, let peer, _, _) where observer == peer:
            "node \(observer) is its own peer"
        case .strangerUp(let observer, let node):
            "node \(observer): \(node) up, which is no node of the world"
        default:
            nil
        }
    }
}

/// Promise I4: within the life of an observer, the instance that it sees of a peer never falls.
package struct InstancesRise: SafetyChecker {
    private let nodeCount: Int
    private var highest: [Instance?]

    package init(nodeCount: Int) {
        self.nodeCount = nodeCount
        highest = Array(repeating: nil, count: nodeCount * nodeCount)
    }

    package var judgesConduct: Bool { true }

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        switch observation {
        case .started(let node, _):
            for peer in 0..<nodeCount { highest[node * nodeCount + peer] = nil }
            return nil
        case .peerUp(let observer, let peer, _, let instance), .peerAdvanced(let observer, let peer, let instance):
            let index = observer * nodeCount + peer
            if let seen = highest[index], instance < seen {
                return "node \(observer): \(peer) up as \(instance) after \(seen)"
            }
            highest[index] = instance
            return nil
        default:
            return nil
        }
    }
}

/// Promise I5: no observer sees a peer under an instance above the highest that the peer has had.
package struct InstancesAreReal: SafetyChecker {
    private var highest: [Instance?]

    package init(nodeCount: Int) { highest = Array(repeating: nil, count: nodeCount) }

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        switch observation {
        case .started(let node, let instance), .advanced(let node, let instance):
            highest[node] = max(highest[node] ?? instance, instance)
            return nil
        case .peerUp(let observer, let peer, _, let instance), .peerAdvanced(let observer, let peer, let instance):
            guard let real = highest[peer], instance <= real else {
                return "node \(observer): \(peer) up as instance \(instance), which it never had"
            }
            return nil
        default:
            return nil
        }
    }
}
