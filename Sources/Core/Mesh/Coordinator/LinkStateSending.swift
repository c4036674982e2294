import Primitives
import Wire

/// How this node advertises its own links.
extension MeshNode {
    func ownLinkStates() -> [AdvertisedLink] { neighbours.map { AdvertisedLink($0) } }

    /// Returns the path kind to advertise. A tunnelled carrier is advertised as a relay, because it leads through a
    /// neighbour too: other nodes then ask for no relay over this link.
    func advertised(_ kind: PathKind, of index: Int) -> PathKind {
        kind == .carrier && links.isTunnelled(index) ? .relay : kind
    }

    mutating func sendLinkStates(now: Instant) { membership.sendLinkStates(to: neighbours, &effects, now: now) }
}
