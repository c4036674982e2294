import Mesh
import Primitives
import Trust
import Wire

/// A member that lies about itself and about what it has seen.
extension World {
    /// Changes the name in the member's own record. Also gives the member's machines the record of an invented node,
    /// which no other node gets: the digest of the member's roster then differs from all others. A roster forgets such
    /// a record after a minute, so the member renews it.
    func lieAboutItself(_ node: Int, _ member: HostileMember) {
        let name = SafeText("\(nodes[node].name) \(member.nextNumber())")
        command(.setProfile(NodeProfile(name: name)), to: node)
        if let toldAt = member.secretToldAt, now < toldAt + SimLimits.secretInterval { return }
        guard let peer = member.pick(others(of: node)), let carrier = carriers.openCarrier(of: node, with: peer)
        else { return }
        member.secretToldAt = now
        let secret = record(of: member.keepSecret(with: options.sealing), at: [], sequence: member.nextNumber())
        let frame = CarrierMessage.records([secret]).encoded()
        deliver(.carrierFrame(carrier, frame), .carrierFrame, TraceHash.digest(frame), to: node)
    }

    func liesOfLiar(_ message: CarrierMessage, of node: Int, _ member: HostileMember) -> CarrierMessage? {
        switch message {
        case .records(let records):
            let told = records.filter { !member.isSecret($0) && !member.random.chance(permille: 200) }
            return told.isEmpty ? nil : .records(told)
        case .recordVersions(let versions):
            let told = versions.filter { !member.isSecret($0.node) }
            // It says of everybody, also of the dead, that it sees them now.
            return .recordVersions(told.map { NodeVersion(node: $0.node, version: $0.version, seenSecondsAgo: 0) })
        case .linkStates(let entries, let generation):
            return .linkStates(falseLinks(entries, of: node, member), generation: generation)
        default:
            return message
        }
    }

    private func falseLinks(
        _ entries: [AdvertisedLink], of node: Int, _ member: HostileMember
    ) -> [AdvertisedLink] {
        switch member.random.below(3) {
        case 0: return entries.filter { _ in member.random.chance(permille: 500) }
        case 1: return perfectLinks(entries, of: node)
        default: return entries
        }
    }

    /// Returns link states that claim a perfect direct link from the member to every other node of the run, also to
    /// those that are off.
    func perfectLinks(_ entries: [AdvertisedLink], of node: Int) -> [AdvertisedLink] {
        others(of: node).compactMap { other in
            let id = network.hosts[other].node
            let known = entries.first { $0.peer == id }?.instance
            return (known ?? Instance(exactly: nodes[other].instanceOnDisk)).map {
                AdvertisedLink(peer: id, instance: $0, path: .direct, rttClass: 0, lossClass: 0)
            }
        }
    }

    func secluded(_ message: CarrierMessage) -> CarrierMessage {
        guard case .linkStates(_, let generation) = message else { return message }
        return .linkStates([], generation: generation)
    }

    /// Takes the name of another node.
    func takeName(_ node: Int, _ member: HostileMember) {
        guard let other = member.pick(others(of: node)) else { return }
        command(.setProfile(NodeProfile(name: SafeText(nodes[other].name))), to: node)
    }
}
