import Primitives
import Trust
import Wire

/// The Avahi service of a closed mesh: that of this node, and those of others. In an open mesh a service names its
/// node, and is a hint like any other.
extension MeshNode {
    /// Announces this node by Avahi to the members of its closed mesh: at the start, when it enters the mesh, when the
    /// salt of its announcement is a day old, and when the epoch of the mesh changes.
    mutating func announceSealed(now: Instant) {
        guard case .member(let mesh) = configuration.standing else { return }
        let service = reachability.announcement.service(
            port: configuration.port, keys: mesh.newestKeys, with: sealing, now: now)
        effects.output(.announceSealed(service))
    }

    mutating func receiveService(_ service: SealedService, at endpoints: [Endpoint], now: Instant) {
        switch configuration.standing {
        case .open: effects.count(.servicesOtherMesh)
        case .member(let mesh):
            if let keys = mesh.keys.first(where: { service.isTagged(by: $0, with: sealing) }) {
                guard let peer = service.opened(by: keys, with: sealing) else { return effects.count(.servicesForged) }
                return learn(PeerHint(source: .avahi, node: peer, endpoints: endpoints), now: now)
            }
            effects.count(.servicesOtherMesh)
            // The service may be of a member that holds a newer epoch than this node.
            keep(endpoints, now: now)
        // A newcomer cannot tell the services of its mesh from others.
        case .newcomer: keep(endpoints, now: now)
        }
    }

    /// Keeps the addresses of a service that this node cannot read. Tries to dial them now, as far as `senderSearch`
    /// allows.
    private mutating func keep(_ endpoints: [Endpoint], now: Instant) {
        let search = senderSearch
        for endpoint in endpoints {
            reachability.addService(endpoint, on: hostNetwork, &effects, now: now)
            reachability.addSender(endpoint, in: search, on: hostNetwork, &effects, now: now)
        }
        startDials(now: now)
    }

    /// Tries the services that this node cannot read, as far as `serviceSearch` allows.
    mutating func tryServices(now: Instant) {
        let search = serviceSearch
        for endpoint in reachability.takeServices(search, &effects, now: now) {
            reachability.addSender(endpoint, in: search, on: hostNetwork, &effects, now: now)
        }
        startDials(now: now)
    }

    /// How this node tries the services that it cannot read.
    var serviceSearch: SenderSearch { reachability.hasServices ? senderSearch : .off }

    /// How this node tries senders whose beacons or services it cannot read. A link alone does not end the search: the
    /// linked peer may be a member that missed the same change of the code.
    var senderSearch: SenderSearch {
        guard links.linkedCount != 0 else { return .full }
        guard case .member(let mesh) = configuration.standing else { return .off }
        let lacksMember = mesh.hasKnownMember { peer in
            peer != node && links.index(of: peer).map { links[$0].state.isLinked } != true && !isBlocked(peer)
        }
        return lacksMember ? .slow : .off
    }
}
