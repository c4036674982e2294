package import Primitives

/// How long links took in one run, measured by the nodes' events; by ordered pair, observer first.
///
/// A pair is *open* while both processes run and packets pass in both directions. Only such time counts, in which the
/// mesh can act: a link is not late while a cut lasts.
package struct LinkTimes: Sendable {
    /// From the instant at which a pair is open until the observer has the peer up for the first time in these two
    /// lives.
    package private(set) var linking: [Interval] = []
    /// From the loss of a link, or from the end of the obstacle between the two, until the link is up again.
    package private(set) var repair: [Interval] = []
    /// From the end of a process until an observer that had it up takes the link down.
    package private(set) var detection: [Interval] = []

    private struct Pair {
        var openSince: Instant?
        var isUp = false
        var hasLinked = false
        var lostAt: Instant?
        var diedAt: Instant?
    }

    private let nodeCount: Int
    private var pairs: [Pair]

    package init(nodeCount: Int) {
        self.nodeCount = nodeCount
        pairs = Array(repeating: Pair(), count: nodeCount * nodeCount)
    }

    package mutating func observe(_ observation: Observation, at now: Instant) {
        switch observation {
        case .started(let node, _):
            for other in 0..<nodeCount {
                forget(node * nodeCount + other)
                pairs[other * nodeCount + node].hasLinked = false
            }
        case .stopped(let node):
            for other in 0..<nodeCount {
                forget(node * nodeCount + other)
                let index = other * nodeCount + node
                pairs[index].lostAt = nil
                if pairs[index].isUp { pairs[index].diedAt = now }
            }
        case .peerUp(let observer, let peer, _, _):
            recordUp(observer * nodeCount + peer, at: now)
        case .peerDown(let observer, let peer, _, _, _):
            let index = observer * nodeCount + peer
            if let diedAt = pairs[index].diedAt { detection.append(now - diedAt) } else { pairs[index].lostAt = now }
            pairs[index].isUp = false
            pairs[index].diedAt = nil
        default:
            break
        }
    }

    /// Notes which pairs are open, after something was broken or mended.
    package mutating func routesChanged(
        at now: Instant, isRunning: (Int) -> Bool, isOpen: (_ from: Int, _ to: Int) -> Bool
    ) {
        for observer in 0..<nodeCount {
            let runs = isRunning(observer)
            for peer in 0..<nodeCount where peer != observer {
                let index = observer * nodeCount + peer
                // A paused process notices nothing, so its time does not count.
                if !runs { pairs[index].diedAt = nil }
                guard runs, isRunning(peer), isOpen(observer, peer), isOpen(peer, observer) else {
                    pairs[index].openSince = nil
                    continue
                }
                if pairs[index].openSince == nil { pairs[index].openSince = now }
            }
        }
    }

    private mutating func recordUp(_ index: Int, at now: Instant) {
        let pair = pairs[index]
        if let openSince = pair.openSince {
            if !pair.hasLinked {
                linking.append(now - openSince)
            } else if let lostAt = pair.lostAt {
                repair.append(now - max(lostAt, openSince))
            }
        }
        pairs[index].isUp = true
        pairs[index].hasLinked = true
        pairs[index].lostAt = nil
        pairs[index].diedAt = nil
    }

    private mutating func forget(_ index: Int) {
        let openSince = pairs[index].openSince
        pairs[index] = Pair()
        pairs[index].openSince = openSince
    }
}
