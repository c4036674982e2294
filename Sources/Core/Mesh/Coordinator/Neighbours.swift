import Primitives
import Wire

/// The values by which one machine sees the others.
extension MeshNode {
    /// The linked peers, in the order of their slots.
    var neighbours: [Neighbour] {
        links.indices.compactMap { index in
            guard links[index].state.isLinked, let session = links[index].session,
                let path = paths[index].session?.table.chosenPath
            else { return nil }
            return Neighbour(
                slot: links[index].slot, node: links[index].node, instance: session.instance,
                sessionStartedAt: session.startedAt, carrier: session.carrier,
                isCarrierTunnelled: links.isTunnelled(index),
                path: advertised(path.kind, of: index), rtt: path.rtt,
                lossPermille: paths[index].ownReport?.lossPermille)
        }
    }
}
