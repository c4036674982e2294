import Primitives
import Wire

/// The values that the coordinator gives one machine, so that the machine knows what it needs of the others.
extension MeshNode {
    /// The linked peers, in the order of their slots; without those whose links are stale.
    var neighbours: [Neighbour] {
        links.indices.compactMap { index in
            guard links[index].state.isLinked, !links[index].isStale, let session = links[index].session,
                let path = paths[index].current?.table.chosenPath
            else { return nil }
            return Neighbour(
                slot: links[index].slot, node: links[index].node, instance: session.instance,
                sessionStartedAt: session.startedAt, carrier: session.carrier,
                path: advertised(path.kind, of: index), rtt: path.rtt,
                lossPermille: paths[index].ownReport?.lossPermille)
        }
    }

    /// Returns the path kind to advertise. A tunnelled carrier is advertised as a relay, because it leads through a
    /// neighbour too: other nodes then ask for no relay over this link.
    func advertised(_ kind: PathKind, of index: Int) -> PathKind {
        kind == .carrier && links.isTunnelled(index) ? .relay : kind
    }
}
