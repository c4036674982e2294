package import Primitives

/// Which node has which peer up, as the nodes' events have reported. The liveness checkers read it.
package struct UpMatrix {
    private let nodeCount: Int
    private var upInstance: [Instance?]
    private var current: [Instance?]
    /// Number of changes.
    package private(set) var changes = 0

    package init(nodeCount: Int) {
        self.nodeCount = nodeCount
        upInstance = Array(repeating: nil, count: nodeCount * nodeCount)
        current = Array(repeating: nil, count: nodeCount)
    }

    package mutating func observe(_ observation: Observation) {
        switch observation {
        case .started(let node, let instance):
            current[node] = instance
            clear(node)
        case .stopped(let node):
            current[node] = nil
            clear(node)
        case .advanced(let node, let instance):
            current[node] = instance
        case .peerUp(let observer, let peer, _, let instance), .peerAdvanced(let observer, let peer, let instance):
            upInstance[observer * nodeCount + peer] = instance
        case .peerDown(let observer, let peer, _, _, _):
            upInstance[observer * nodeCount + peer] = nil
        default:
            return
        }
        changes += 1
    }

    /// Returns the instance under which `observer` has `peer` up; nil if the link is not up.
    package func upInstance(of peer: Int, at observer: Int) -> Instance? { upInstance[observer * nodeCount + peer] }

    /// Whether `observer` has the living instance of `peer` up.
    package func isUp(_ peer: Int, at observer: Int) -> Bool {
        guard let instance = current[peer], current[observer] != nil else { return false }
        return upInstance[observer * nodeCount + peer] == instance
    }

    /// Returns the first observer and peer among `nodes` without a link up; nil if the nodes are a clique.
    package func firstGap(among nodes: [Int]) -> (observer: Int, peer: Int)? {
        for observer in nodes {
            for peer in nodes where peer != observer && !isUp(peer, at: observer) { return (observer, peer) }
        }
        return nil
    }

    private mutating func clear(_ node: Int) {
        for peer in 0..<nodeCount { upInstance[node * nodeCount + peer] = nil }
    }
}
