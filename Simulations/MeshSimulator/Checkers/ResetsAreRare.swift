package import Primitives

/// I12: a node blames itself, and tries all peers again at once, only when it has lost at least two thirds
/// of them, and at most every 30 s. A reset ends waits and forgets failures, so it must be rare.
package struct ResetsAreRare: SafetyChecker {
    private static let every = Interval.seconds(30)

    private let nodeCount: Int
    private var isUp: [Bool]
    private var resetAt: [Instant?]

    package init(nodeCount: Int) {
        self.nodeCount = nodeCount
        isUp = Array(repeating: false, count: nodeCount * nodeCount)
        resetAt = Array(repeating: nil, count: nodeCount)
    }

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        switch observation {
        case .started(let node, _), .stopped(let node):
            for peer in 0..<nodeCount { isUp[node * nodeCount + peer] = false }
            resetAt[node] = nil
        case .unsettled(let node):
            // The node's clock may have jumped. The checker does not know how much time has passed by that clock.
            resetAt[node] = nil
        case .peerUp(let observer, let peer, _, _):
            isUp[observer * nodeCount + peer] = true
        case .peerDown(let observer, let peer, _, _, _):
            isUp[observer * nodeCount + peer] = false
        case .reset(let node):
            let linked = (0..<nodeCount).count { isUp[node * nodeCount + $0] }
            if nodeCount - 1 < linked * 3 { return "node \(node): resets all attempts while \(linked) are up" }
            if let last = resetAt[node], instant - last < Self.every {
                return "node \(node): resets all attempts \(instant - last) after its last reset"
            }
            resetAt[node] = instant
        default:
            break
        }
        return nil
    }
}
