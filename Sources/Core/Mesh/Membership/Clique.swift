import Primitives
import Wire

/// Whether the mesh is a complete clique, by this node's own links and the link states of its neighbours.
struct CliqueState {
    private(set) var isStale = true
    private(set) var isComplete = false

    mutating func invalidate() { isStale = true }

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

extension Membership {
    /// Returns the number of nodes to which a link should exist. The roster entry of such a node counts
    /// (`RosterEntry.counts`), and this node wants a link with that node.
    func expectedCount(now: Instant, isWanted: (NodeID) -> Bool) -> Int {
        roster.entries.count { $0.counts(now: now) && isWanted($0.node) }
    }

    /// Notes that something has changed on which the clique depends.
    mutating func invalidateClique() { clique.invalidate() }

    /// Checks the clique again. Outputs an event if the result differs.
    mutating func settleClique(
        _ neighbours: [Neighbour], expectedCount: Int, _ effects: inout Effects
    ) {
        let everyone = CliqueState.digest(of: neighbours.map(\.node) + [node])
        let isComplete =
            !neighbours.isEmpty && expectedCount == neighbours.count
            && neighbours.allSatisfy {
                self[$0.slot.index].hasLinkStates
                    && self[$0.slot.index].links.peersDigest ^ CliqueState.digest(of: [$0.node]) == everyone
            }
        let wasComplete = clique.isComplete
        guard clique.settle(isComplete) else { return }
        if isComplete { effects.report(.cliqueComplete(peerCount: neighbours.count)) }
        if wasComplete { effects.report(.cliqueBroken) }
    }
}
