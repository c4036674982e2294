import Primitives
import Wire

/// Whether everybody is linked with everybody, as far as this node can tell.
struct CliqueState {
    var isStale = true
    private(set) var isComplete = false

    /// Takes a new finding; true where it differs.
    mutating func settle(_ isComplete: Bool) -> Bool {
        isStale = false
        defer { self.isComplete = isComplete }
        return self.isComplete != isComplete
    }

    /// Of a set of nodes, whatever their order.
    static func digest(of nodes: [NodeID]) -> UInt64 {
        var digest: UInt64 = 0
        for node in nodes {
            var mix = DigestMix()
            mix.add(node)
            digest ^= mix.value
        }
        return digest
    }
}

extension MeshNode {
    /// Nodes that count: witnessed within the last ten minutes, not leaving, not dead and not blocked.
    func expectedCount(now: Instant) -> Int {
        var count = 0
        for entry in roster.entries where entry.counts(now: now) && !isBlocked(entry.node) { count += 1 }
        return count
    }

    /// Looks again where something changed, and tells people.
    mutating func settleClique(now: Instant) {
        guard clique.isStale else { return }
        // Peers are looked at one by one, for an array of the linked ones would copy them.
        let linked = peers.indices.filter { peers[$0].state.isLinked }
        let everyone = CliqueState.digest(of: linked.map { peers[$0].node } + [node])
        let isComplete =
            !linked.isEmpty && expectedCount(now: now) == linked.count
            && linked.allSatisfy { peers[$0].linkStatesDigest == everyone }
        let wasComplete = clique.isComplete
        guard clique.settle(isComplete) else { return }
        if isComplete { outputs.append(.event(.cliqueComplete(peerCount: linked.count))) }
        if wasComplete { outputs.append(.event(.cliqueBroken)) }
    }
}
