import Primitives
import Wire

/// A linked neighbour that has advertised its link states: they tell whether it still has a link to a suspect.
struct Witness {
    let node: NodeID
    let links: [AdvertisedLink]

    func hasLink(to suspect: NodeID) -> Bool { links.contains { $0.peer == suspect } }
}
