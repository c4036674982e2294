package import Primitives

/// The instants at which each node last lost, invited or dialled each peer. In a mesh at rest none of this happens.
package struct Disturbances {
    package struct Last {
        package var lost: Instant?
        package var invited: Instant?
        package var dialled: Instant?
        /// When a tunnel between the two nodes last ended.
        package var tunnelLost: Instant?
    }

    private let nodeCount: Int
    private var last: [Last]

    package init(nodeCount: Int) {
        self.nodeCount = nodeCount
        last = Array(repeating: Last(), count: nodeCount * nodeCount)
    }

    package func last(of peer: Int, by observer: Int) -> Last { last[observer * nodeCount + peer] }

    package mutating func observe(_ observation: Observation, at instant: Instant) {
        switch observation {
        case .peerDown(let observer, let peer, _, _, _): last[observer * nodeCount + peer].lost = instant
        case .invited(let observer, let peer): last[observer * nodeCount + peer].invited = instant
        case .dialled(let observer, let peer, _, _): last[observer * nodeCount + peer].dialled = instant
        case .tunnelLost(let observer, let peer): last[observer * nodeCount + peer].tunnelLost = instant
        default: return
        }
    }
}
