import Primitives
import Wire

/// Which paths are probed, and what a probe of the peer shows.
extension PathSet {
    /// Whether the candidate session probes this path. The path through the carrier is probed too, if the other paths
    /// bring no echo within two probe intervals.
    func isProbedAsCandidate(_ path: Int, now: Instant) -> Bool {
        guard table[path].trust == .proved else { return false }
        return table[path].kind != .carrier || MeshLimits.probeInterval * 2 <= now - startedAt
    }

    /// Whether a probe of the peer over this path shows that the peer, too, has lost the chosen path. That is so if the
    /// probe came over a worse kind of path, and the chosen path brings this node no echoes any more.
    func isDoubtShared(by probedPath: Int, now: Instant) -> Bool {
        table.chosenPath.kind.rawValue < table[probedPath].kind.rawValue && !table.chosenPath.isFresh(now: now)
    }

    /// The endpoints of the direct paths on which the peer answers; the path that carries the voice comes first.
    func answeringEndpoints(now: Instant) -> [Endpoint] {
        let chosen = table.chosenPath.route
        let living = table.paths.filter { $0.isAlive(now: now) }
        return (living.filter { $0.route == chosen } + living.filter { $0.route != chosen }).compactMap(\.endpoint)
    }

    /// Whether the table has a path through this neighbour, even one that is not used now.
    func leads(through neighbour: NodeID) -> Bool { table.index(of: .neighbour(neighbour)) != nil }
}
