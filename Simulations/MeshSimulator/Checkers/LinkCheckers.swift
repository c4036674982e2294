import Mesh
package import Primitives

/// I7: up only after a round trip: something of the observer's has reached the boot that comes up, and something has
/// come back since, and since the link was last lost; or else the link is up through a neighbour, which is told in the
/// same instant.
package struct UpNeedsRoundTrip: SafetyChecker {
    private struct Way {
        /// When the first datagram of the observer's life got to the peer's, and when the last one came back.
        var there: Instant?
        var back: Instant?
    }

    private let nodeCount: Int
    /// By observer and peer.
    private var ways: [Way]
    /// By node, what its latest boot is called, and every name of any of its boots.
    private var names: [[Instance]]
    private var given: [[Instance]]
    /// Up without a round trip of the pair's own, unless its path turns out to lead through a neighbour. All of one
    /// instant, in which several may come up.
    private var unexplained: [(observer: Int, peer: Int, at: Instant)] = []

    package init(nodeCount: Int) {
        self.nodeCount = nodeCount
        ways = Array(repeating: Way(), count: nodeCount * nodeCount)
        names = Array(repeating: [], count: nodeCount)
        given = names
    }

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        if let (observer, peer, at) = unexplained.first, at < instant {
            unexplained = []
            return "node \(observer): \(peer) up at \(at), and no datagram went there and came back"
        }
        switch observation {
        case .relayed(let observer, let peer):
            unexplained.removeAll { ($0.observer, $0.peer) == (observer, peer) }
        case .started(let node, let instance):
            for peer in 0..<nodeCount {
                ways[node * nodeCount + peer] = Way()
                ways[peer * nodeCount + node].there = nil
            }
            names[node] = [instance]
            given[node].append(instance)
        case .raised(let node, let instance):
            names[node].append(instance)
            given[node].append(instance)
        case .arrived(let from, let to):
            if ways[from * nodeCount + to].there == nil { ways[from * nodeCount + to].there = instant }
            ways[to * nodeCount + from].back = instant
        case .peerDown(let observer, let peer, _, _, _):
            ways[observer * nodeCount + peer].back = nil
        case .peerUp(let observer, let peer, _, let instance):
            if !isProved(peer, as: instance, by: observer) { unexplained.append((observer, peer, instant)) }
        default:
            break
        }
        return nil
    }

    private func isProved(_ peer: Int, as instance: Instance, by observer: Int) -> Bool {
        let way = ways[observer * nodeCount + peer]
        guard let back = way.back else { return false }
        // A boot that is over may still come up by an echo that was under way; what got there got to it.
        let isOver = !names[peer].contains(instance) || 1 < given[peer].count { $0 == instance }
        return isOver || way.there.map { $0 <= back } ?? false
    }
}

/// I12: whatever happens elsewhere, a link between two nodes with which nothing is wrong stands. One that its peer has
/// given up already may end later: the half-open.
package struct HealthyLinksStand: SafetyChecker {
    package init() {}

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        guard case .linkLost(let observer, let peer, let reason, let steadyFor?, let isShared) = observation,
            (isShared && reason.isAccident ? SimLimits.sharedUnrestMax : SimLimits.faultsApartMax) < steadyFor
        else { return nil }
        return "node \(observer): \(peer) down as \(reason), with nothing wrong between them for \(steadyFor)"
    }
}

/// I6: nobody is taken for dead who lives, and with whom nothing is wrong.
package struct TheLivingAreNotDead: SafetyChecker {
    package init() {}

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        guard case .takenForDead(let observer, let peer, let steadyFor?) = observation,
            SimLimits.falseDeathMin < steadyFor
        else { return nil }
        return "node \(observer): \(peer) taken for dead, with nothing wrong between them for \(steadyFor)"
    }
}

/// I8: bytes that were sent before and are sent again change no link that is up.
package struct OldBytesChangeNothing: SafetyChecker {
    package init() {}

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        guard case .replayed(let observer, let peer, let before, let after) = observation, before != after
        else { return nil }
        let now = after.map { "is \($0)" } ?? "is not up"
        return
            "node \(observer): a replay of \(peer)'s bytes changed link \(before.map { "\($0)" } ?? "none"): it \(now)"
    }
}

/// I8: an INVITE or ACCEPT that comes again is not answered, for nothing is agreed by it.
package struct OldBytesGetNoAnswer: SafetyChecker {
    package init() {}

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        guard case .replayAnswered(let observer, let peer, let frames) = observation, 0 < frames else { return nil }
        return "node \(observer): a replay of \(peer)'s bytes was answered with \(frames) frames"
    }
}

/// I9: a tunnel has one hop: none of its frames travels in a carrier that is tunnelled itself.
package struct TunnelsDoNotNest: SafetyChecker {
    package init() {}

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        guard case .tunnelNested(let node, let peer) = observation else { return nil }
        return "node \(node): a tunnel's frame for \(peer) in a carrier that is tunnelled itself"
    }
}

/// I1: only the greater NodeID of a pair invites.
package struct LeadersInvite: SafetyChecker {
    package init() {}

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        guard case .followerInvited(let observer, let peer) = observation else { return nil }
        return "node \(observer) invites \(peer), which leads"
    }
}

/// I6: whoever has left under an instance is not up again under it, whatever gossip says.
///
/// A counter that was rolled back gives an instance away twice. Word of the first boot's leave may come when the second
/// runs already, so such a word does not say who has left.
package struct LeftStaysLeft: SafetyChecker {
    private let nodeCount: Int
    private var left: [Instance?]
    /// By node, the instance of every boot and of every raise.
    private var given: [[Instance]]

    package init(nodeCount: Int) {
        self.nodeCount = nodeCount
        left = Array(repeating: nil, count: nodeCount * nodeCount)
        given = Array(repeating: [], count: nodeCount)
    }

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        switch observation {
        case .started(let node, let instance):
            given[node].append(instance)
            for other in 0..<nodeCount {
                left[node * nodeCount + other] = nil
                left[other * nodeCount + node] = nil
            }
            return nil
        case .raised(let node, let instance):
            given[node].append(instance)
            return nil
        case .peerDown(let observer, let peer, _, let instance, .left):
            guard given[peer].count(where: { $0 == instance }) < 2 else { return nil }
            left[observer * nodeCount + peer] = instance
            return nil
        case .peerUp(let observer, let peer, _, let instance):
            guard left[observer * nodeCount + peer] == instance else { return nil }
            return "node \(observer): \(peer) up as \(instance), under which it has left"
        default:
            return nil
        }
    }
}
