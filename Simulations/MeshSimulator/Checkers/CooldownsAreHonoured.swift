import Mesh
package import Primitives

/// I11: where a node showed that it would wait with a peer until some time, it does not dial that peer before, unless
/// the peer asked for a connection or made one meanwhile, has left, or was heard of as a higher instance.
///
/// A reference, for it is told both what nodes show and what they do.
package final class CooldownsAreHonoured: SampleChecker, SafetyChecker {
    private let nodeCount: Int
    private struct Wait {
        var until: Instant
        var known: Instance?
    }

    /// What was shown at the last look, until something came that ends it.
    private var waits: [Wait?]

    package init(nodeCount: Int) {
        self.nodeCount = nodeCount
        waits = Array(repeating: nil, count: nodeCount * nodeCount)
    }

    package func look(at snapshot: MeshSnapshot) -> String? {
        for index in waits.indices { waits[index] = nil }
        for node in snapshot.unhindered(for: .zero) {
            for view in node.views where 0 < view.failures && (view.state == .down || view.state == .quarantined) {
                waits[node.index * nodeCount + view.peer] = view.retryAt.map { Wait(until: $0, known: view.known) }
            }
        }
        return nil
    }

    package func observe(_ observation: Observation, at instant: Instant) -> String? {
        switch observation {
        // Who refused a boot for its instance said so of the old one; what may be forgotten at once is judged by
        // `ResetsAreRare`.
        case .started(let node, _), .unsettled(let node), .raised(let node, _), .reset(let node):
            for peer in 0..<nodeCount { waits[node * nodeCount + peer] = nil }
            return nil
        case .connectRequestArrived(let observer, let peer), .takenForDead(let observer, let peer, _),
            .peerUp(let observer, let peer, _, _),
            .peerDown(let observer, let peer, _, _, _):
            waits[observer * nodeCount + peer] = nil
            return nil
        case .dialled(let observer, let peer, _, let wanted):
            // Of a higher instance than at the last look a wait says nothing.
            guard let wait = waits[observer * nodeCount + peer], instant < wait.until, wait.known == wanted.instance,
                !wanted.hasLeft
            else { return nil }
            return "node \(observer): dials \(peer) \(wait.until - instant) before its wait is over"
        default:
            return nil
        }
    }
}
