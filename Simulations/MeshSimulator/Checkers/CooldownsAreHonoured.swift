import Mesh
package import Primitives

/// I11: where a node showed that it would wait with a peer until some time, it does not dial that peer
/// before, unless something came meanwhile that may end a wait.
///
/// A reference, for it is told both what nodes show and what they do.
package final class CooldownsAreHonoured: SampleChecker, SafetyChecker {
    private let nodeCount: Int
    /// What was shown at the last look, until something came.
    private var until: [Instant?]

    package init(nodeCount: Int) {
        self.nodeCount = nodeCount
        until = Array(repeating: nil, count: nodeCount * nodeCount)
    }

    package func look(at picture: MeshPicture) -> String? {
        for index in until.indices { until[index] = nil }
        for node in picture.unhindered(for: .zero) {
            for view in node.views where 0 < view.failures && (view.state == .down || view.state == .quarantined) {
                until[node.index * nodeCount + view.peer] = view.retryAt
            }
        }
        return nil
    }

    package func observe(_ observation: Observation, at instant: Instant) -> String? {
        switch observation {
        // Who refused a boot for its instance said so of the old one; what may be forgotten at once is judged by
        // `ResetsAreRare`.
        case .started(let node, _), .unsettled(let node), .raised(let node, _), .reset(let node):
            for peer in 0..<nodeCount { until[node * nodeCount + peer] = nil }
            return nil
        case .prompted(let observer, let peer), .takenForDead(let observer, let peer, _),
            .peerUp(let observer, let peer, _, _),
            .peerDown(let observer, let peer, _, _, _):
            until[observer * nodeCount + peer] = nil
            return nil
        case .dialled(let observer, let peer, _):
            guard let until = until[observer * nodeCount + peer], instant < until else { return nil }
            return "node \(observer): dials \(peer) \(until - instant) before its wait is over"
        default:
            return nil
        }
    }
}
