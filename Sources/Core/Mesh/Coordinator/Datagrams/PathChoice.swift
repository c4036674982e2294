import Primitives
import Wire

/// The choice among the paths to a peer, and what it means for those that use this link.
extension MeshNode {
    /// Moves the voice to the best living path. A datagram that is relayed through a link which is now relayed itself
    /// would need two hops, so such uses end.
    mutating func choosePath(_ index: Int, now: Instant) {
        if moveVoice(index, now: now) { forgetRelay(links[index].node, now: now) }
    }

    /// Moves the voice to the best living path, and advertises the path where its kind has changed.
    /// - Returns: whether the link is advertised as relayed from now on, and was not before.
    mutating func moveVoice(_ index: Int, now: Instant) -> Bool {
        paths[index].current?.choosePath(now: now)
        guard links[index].state.isLinked, let kind = paths[index].current?.table.chosenPath.kind else { return false }
        // Only a carrier can be advertised as another kind. The call is avoided for other paths, because the compiler
        // moves the whole node for it.
        let toOthers = kind == .carrier ? advertised(.carrier, of: index) : kind
        guard paths[index].reportPath(toOthers: toOthers, &effects) else { return false }
        membership.scheduleLinkStates(after: .path, now: now)
        return toOthers == .relay
    }
}
