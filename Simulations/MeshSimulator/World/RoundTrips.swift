package import Primitives

/// The last round trip of each pair: the peer read a datagram of the observer, then sent one, and then the observer
/// read a datagram of the peer.
///
/// Datagrams are not told apart. The datagram that ends a trip may have been sent before the trip began and have been
/// delayed, so a trip may be noted too early.
package struct RoundTrips {
    private enum Trip {
        case none
        /// The peer has read a datagram of the observer.
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

    /// Returns when the last round trip ended at `observer`. Each trip begins with a datagram that the peer reads
    /// after the end of the trip before.
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
