import Primitives
import Wire

extension MeshNode {
    /// Moves the voice to the best living path. Tells others where the path is now a relay, or no longer one.
    mutating func choosePath(_ index: Int, now: Instant) {
        paths[index].session?.choosePath(now: now)
        guard links[index].state.isLinked, let kind = paths[index].session?.table.chosenPath.kind else { return }
        // Only a carrier can be advertised as another kind. The call is avoided for other paths, because the compiler
        // moves the whole node for it.
        let toOthers = kind == .carrier ? advertised(.carrier, of: index) : kind
        guard paths[index].reportPath(toOthers: toOthers, &effects) else { return }
        membership.linkAdvertisement.change(.path, now: now)
        // A datagram that is relayed through this neighbour would need two hops now.
        if toOthers == .relay { forgetRelay(links[index].node, now: now) }
    }
}
