package import Primitives

/// When each pair last had a round trip: something of one was read by the other, which then sent, and what it sent was
/// read in its turn.
///
/// What was sent cannot be told apart from what was sent before it and came later; a trip may be noted sooner by what
/// one way delays.
package struct RoundTrips {
    private enum Trip {
        case none
        /// Something new of the observer was read by the peer.
        case there
        /// The peer has sent something since.
        case returning
    }

    private let nodeCount: Int
    /// By observer and peer.
    private var trips: [Trip]
    private var doneAt: [Instant?]

    package init(nodeCount: Int) {
        self.nodeCount = nodeCount
        trips = Array(repeating: .none, count: nodeCount * nodeCount)
        doneAt = Array(repeating: nil, count: nodeCount * nodeCount)
    }

    /// The last that ended at `observer`; each begins with something that the peer had not read before.
    package func last(of observer: Int, by peer: Int) -> Instant? { doneAt[observer * nodeCount + peer] }

    package mutating func observe(_ observation: Observation, at instant: Instant) {
        switch observation {
        case .arrived(let from, let to):
            let (own, others) = (to * nodeCount + from, from * nodeCount + to)
            if trips[own] == .returning {
                trips[own] = .none
                doneAt[own] = instant
            }
            if trips[others] == .none { trips[others] = .there }
        case .sent(let node, let target):
            let index = target * nodeCount + node
            if trips[index] == .there { trips[index] = .returning }
        case .started(let node, _):
            for peer in 0..<nodeCount {
                for index in [node * nodeCount + peer, peer * nodeCount + node] {
                    trips[index] = .none
                    doneAt[index] = nil
                }
            }
        default: return
        }
    }
}
