import Primitives
import Wire

/// Which records count, and whether the mesh is a complete clique. Both depend on which peers are linked.
extension MeshNode {
    /// Notes that this node or a neighbour saw the peer at `at`. A record that counts again changes the digest.
    mutating func markSeen(_ peer: NodeID, at: Instant, now: Instant) {
        if membership.markSeen(peer, at: at, now: now) { refreshDigest(now: now) }
    }

    mutating func refreshDigest(now: Instant) { membership.refreshDigest(neighbours, now: now) }

    /// Checks the clique again if something has changed. Outputs an event if the result differs.
    mutating func settleClique(now: Instant) {
        // Checked here, because this runs after every input: the neighbours are collected only where they are needed.
        guard membership.clique.isStale else { return }
        membership.settleClique(neighbours, blocked: configuration.blocked, &effects, now: now)
    }
}
