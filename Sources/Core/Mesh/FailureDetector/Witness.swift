import Primitives
import Wire

/// A linked neighbour that has advertised its link states. They show whether it still has a link to a suspected peer.
struct Witness {
    let node: NodeID
    let links: [AdvertisedLink]

    func hasLink(to suspect: NodeID) -> Bool { links.contains { $0.peer == suspect } }
}
