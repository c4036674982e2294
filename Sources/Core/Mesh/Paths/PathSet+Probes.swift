import Primitives
import Wire

/// Which paths are probed, and what a probe of the peer shows.
extension PathSet {
    /// Whether the candidate session probes this path. The carrier is probed too where datagrams bring no echo within
    /// two probe intervals.
    func isProbedAsCandidate(_ path: Int, now: Instant) -> Bool {
        guard table[path].trust == .proved else { return false }
        return table[path].kind != .carrier || MeshLimits.probeInterval * 2 <= now - startedAt
    }

    /// Whether a probe over this path shows that the peer doubts the chosen path too: the probe came over a worse kind
    /// of path, and the chosen path has stopped answering here.
    func isDoubtShared(by probedPath: Int, now: Instant) -> Bool {
        table.chosenPath.kind.rawValue < table[probedPath].kind.rawValue && !table.chosenPath.isFresh(now: now)
    }

    /// The endpoints of living direct paths, the one that carries the voice first.
    func answeringEndpoints(now: Instant) -> [Endpoint] {
        let chosen = table.chosenPath.route
        let living = table.paths.filter { $0.isAlive(now: now) }
        return (living.filter { $0.route == chosen } + living.filter { $0.route != chosen }).compactMap(\.endpoint)
    }

    /// Whether a path leads through this neighbour, even one that is forgotten.
    func leads(through neighbour: NodeID) -> Bool { table.index(of: .neighbour(neighbour)) != nil }
}
