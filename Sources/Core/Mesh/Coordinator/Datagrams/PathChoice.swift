import Primitives
import Wire

/// The choice of the path that carries the voice to a peer.
extension MeshNode {
    /// Moves the voice to the best living path. If that path now leads through a third node, this node stops sending
    /// datagrams to other peers through this one: they would need two hops.
    mutating func choosePath(_ index: Int, now: Instant) {
        if moveVoice(index, now: now) { forgetRelay(links[index].node, now: now) }
    }

    /// Moves the voice to the best living path. If the kind of the path has changed, advertises the new kind.
    /// - Returns: whether the link was advertised as not relayed, and is advertised as relayed from now on.
    mutating func moveVoice(_ index: Int, now: Instant) -> Bool {
        rankRelays(of: index)
        paths[index].current?.choosePath(now: now)
        guard links[index].state.isLinked, let kind = paths[index].current?.table.chosenPath.kind else { return false }
        // A path through a carrier may be advertised as another kind; see `advertised`. The function is not
        // called for other paths, because the compiler moves the whole node for the call.
        let toOthers = kind == .carrier ? advertised(.carrier, of: index) : kind
        guard paths[index].reportPath(toOthers: toOthers, &effects) else { return false }
        membership.scheduleLinkStates(after: .path, now: now)
        return toOthers == .relay
    }

    /// Notes which paths through neighbours come after the carrier of the link: those that TCP carries on one half, as
    /// far as this node and the link states of the neighbour tell. Where UDP is blocked at one end of the link, that is
    /// so of all of them. They would delay the voice as the own TCP connection does, and load one neighbour with the
    /// voice for all. A tunnelled carrier has TCP on both halves, so the paths stay before it (decision 034).
    private mutating func rankRelays(of index: Int) {
        guard let set = paths[index].current else { return }
        for path in set.table.paths.indices {
            guard let node = set.table[path].neighbour, let neighbour = links.index(of: node) else { continue }
            let near = paths[neighbour].current?.table.chosenPath.kind
            let far = membership[neighbour].links[links[index].node]?.path
            let hasTCP = near == .carrier || far == .carrier
            set.rank(path, afterCarrier: hasTCP && !links.lacksDirectCarrier(index))
        }
    }
}
