import Primitives
import Wire

/// Whether the mesh is a complete clique, by this node's own links and the link states of its neighbours.
struct CliqueState {
    var isStale = true
    private(set) var isComplete = false

    /// Stores a new result; returns true if it differs from the last one.
    mutating func settle(_ isComplete: Bool) -> Bool {
        isStale = false
        defer { self.isComplete = isComplete }
        return self.isComplete != isComplete
    }

    /// Returns the digest of a set of nodes; their order does not matter.
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
    /// Returns the number of nodes that should be linked: their record counts (`RosterEntry.counts`), and this node
    /// does not block them.
    func expectedCount(now: Instant) -> Int {
        var count = 0
        for entry in membership.roster.entries where entry.counts(now: now) && !isBlocked(entry.node) { count += 1 }
        return count
    }

    /// Checks the clique again if something has changed. Outputs an event if the result differs.
    mutating func settleClique(now: Instant) {
        guard membership.clique.isStale else { return }
        // Indices, because an array of the linked peers would copy each of them.
        let linked = links.indices.filter { links[$0].state.isLinked }
        let everyone = CliqueState.digest(of: linked.map { links[$0].node } + [node])
        let isComplete =
            !linked.isEmpty && expectedCount(now: now) == linked.count
            && linked.allSatisfy { membership[$0].linkStatesDigest == everyone }
        let wasComplete = membership.clique.isComplete
        guard membership.clique.settle(isComplete) else { return }
        if isComplete { effects.report(.cliqueComplete(peerCount: linked.count)) }
        if wasComplete { effects.report(.cliqueBroken) }
    }
}
