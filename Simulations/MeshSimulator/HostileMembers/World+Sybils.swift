import Mesh
import Primitives
import Trust
import Wire

/// A member that invents identities. Each has keys, so its records are genuine, but nobody answers for it.
extension World {
    /// Whether a node may show more peers than the run has nodes: a sybil invents identities, and a liar vouches for
    /// identities that were wiped.
    var showsForeignIdentities: Bool {
        hasHostileMembers && nodes.contains { $0.hostile?.does(.sybil) == true || $0.hostile?.does(.liar) == true }
    }

    /// Tells a peer of invented nodes, and in an open mesh everybody nearby.
    func introduceInventions(by node: Int, _ member: HostileMember) {
        guard let peer = member.pick(others(of: node)) else { return }
        let records = (0..<1 + member.random.below(8)).map { _ in
            record(of: member.invent(with: options.sealing), at: addresses(of: node, member))
        }
        tell(.records(records), from: node, to: peer)
        guard discovery.rule.hasBeacon, case .open = nodes[node].standing, let first = records.first else { return }
        let beacon = Beacon(mesh: nodes[node].meshName ?? options.mesh, record: first).encoded()
        sendBeacon(beacon, from: node)
    }

    func record(of invention: any Sealing, at endpoints: [Endpoint], sequence: UInt32 = 1) -> SignedRecord {
        let record = NodeRecord(
            node: invention.nodeID, instance: Instance(exactly: 1) ?? .max, bootNonce: BootNonce(number: 1),
            sequence: sequence, endpoints: endpoints, profile: NodeProfile(name: SafeText("nobody")), isLeaving: false)
        return SignedRecord(signing: record, with: invention)
    }

    /// Addresses where nobody answers, or another node does: the member itself.
    private func addresses(of node: Int, _ member: HostileMember) -> [Endpoint] {
        let host = network.hosts[node]
        let dead = (0..<member.random.below(8)).map { _ in
            Endpoint(
                address: IPAddress(
                    v4: 10, UInt8(truncatingIfNeeded: host.site), 200, 1 + UInt8(member.random.below(250))),
                port: SimLimits.port)
        }
        return [host.endpoint] + dead
    }

    /// Advertises links to its latest inventions, as many as fit, and says that it sees all its inventions now.
    func vouched(_ message: CarrierMessage, of node: Int, _ member: HostileMember) -> CarrierMessage {
        switch message {
        case .linkStates(let entries, let generation):
            let room = max(0, WireLimits.linkStatesMax - entries.count)
            let invented = member.inventions.suffix(room).map {
                AdvertisedLink(
                    peer: $0.nodeID, instance: Instance(exactly: 1) ?? .max, path: .direct, rttClass: 0, lossClass: 0)
            }
            return .linkStates(entries + invented, generation: generation)
        case .recordVersions(let versions):
            return .recordVersions(
                versions.map { version in
                    let isOwn = member.inventions.contains { $0.nodeID == version.node }
                    let seconds = isOwn ? 0 : version.seenSecondsAgo
                    return NodeVersion(node: version.node, version: version.version, seenSecondsAgo: seconds)
                })
        default:
            return message
        }
    }
}
