import Mesh
package import Primitives

/// Promise I11: a node that shows a wait for a peer does not dial the peer before that wait is over. The wait ends
/// early in these cases:
/// - the peer sends a connect request, opens a carrier or leaves;
/// - the node learns of a higher instance of the peer, takes it for dead, or has the link to it come up or go down;
/// - the node's own addresses, clock or instance change, or its process goes on after a pause;
/// - the peer refused the node as a newcomer, and the node enters a closed mesh: the peer may take a member.
///
/// A class, because it receives both what nodes show and what they do.
package final class CooldownsAreHonoured: SampleChecker, SafetyChecker {
    private let nodeCount: Int
    private struct Wait {
        var until: Instant
        var known: Instance?
        var isRefused: Bool
    }

    /// By node and peer: the wait that the last snapshot showed, until something ends the wait.
    private var waits: [Wait?]

    package init(nodeCount: Int) {
        self.nodeCount = nodeCount
        waits = Array(repeating: nil, count: nodeCount * nodeCount)
    }

    package func look(at snapshot: MeshSnapshot) -> String? {
        for index in waits.indices { waits[index] = nil }
        for node in snapshot.unhindered(for: .zero) {
            for view in node.views where 0 < view.failures && (view.state == .down || view.state == .quarantined) {
                waits[node.index * nodeCount + view.peer] = view.retryAt.map {
                    Wait(until: $0, known: view.known, isRefused: view.isRefused)
                }
            }
        }
        return nil
    }

    package var judgesConduct: Bool { true }

    package func observe(_ observation: Observation, at instant: Instant) -> String? {
        switch observation {
        // A peer that refused a boot for its instance meant the old instance.
        case .started(let node, _), .unsettled(let node), .advanced(let node, _):
            for peer in 0..<nodeCount { waits[node * nodeCount + peer] = nil }
            return nil
        case .entered(let node, _, _, _):
            for pair in node * nodeCount..<(node + 1) * nodeCount where waits[pair]?.isRefused == true {
                waits[pair] = nil
            }
            return nil
        case .requestSent(let observer, let peer), .takenForDead(let observer, let peer, _),
            .peerUp(let observer, let peer, _, _),
            .peerDown(let observer, let peer, _, _, _):
            waits[observer * nodeCount + peer] = nil
            return nil
        case .dialled(let observer, let peer, _, let wanted):
            // A wait that was shown for another instance does not bind this dial.
            guard let wait = waits[observer * nodeCount + peer], instant < wait.until, wait.known == wanted.instance,
                !wanted.hasLeft
            else { return nil }
            return "node \(observer): dials \(peer) \(wait.until - instant) before its wait is over"
        default:
            return nil
        }
    }
}
