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
        paths[index].current?.choosePath(now: now)
        guard links[index].state.isLinked, let kind = paths[index].current?.table.chosenPath.kind else { return false }
        // A path through a carrier may be advertised as another kind; see `advertised`. The function is not
        // called for other paths, because the compiler moves the whole node for the call.
        let toOthers = kind == .carrier ? advertised(.carrier, of: index) : kind
        guard paths[index].reportPath(toOthers: toOthers, &effects) else { return false }
        membership.scheduleLinkStates(after: .path, now: now)
        return toOthers == .relay
    }
}
