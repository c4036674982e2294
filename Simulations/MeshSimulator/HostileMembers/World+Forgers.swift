import Channels
import Mesh
import Primitives
import Trust
import Wire

/// A member that makes entries of replicated tables that are not its own to make.
extension World {
    /// Whether a hostile member forges. A forger may take over the name of a channel: it signs a birth (the creator's
    /// half of an entry) with a higher epoch number (docs/THREATS.md).
    var hasForgers: Bool { nodes.contains { $0.hostile?.does(.forger) == true } }

    /// Whether a hostile member created this entry's channel.
    func isForged(_ entry: DirectoryEntry) -> Bool { publicKeys.firstIndex(of: entry.creator).map(isHostile) == true }

    func forge(by node: Int, _ member: HostileMember) {
        guard let peer = member.pick(others(of: node)), let victim = member.pick(others(of: node)) else { return }
        if case .member(let mesh) = nodes[node].standing, member.random.chance(permille: 300) {
            guard let epoch = forgedEpoch(by: node, of: victim, mesh, member) else { return }
            return tell(.epoch(epoch), from: node, to: peer)
        }
        guard let entry = forgedEntry(by: node, of: victim, member) else { return }
        tell(.table(.entries(TableEntries(.directory, entries: [entry], hasMore: false))), from: node, to: peer)
    }

    /// Returns an entry that names the victim as the creator, or the member's own entry with a wild version.
    private func forgedEntry(by node: Int, of victim: Int, _ member: HostileMember) -> [UInt8]? {
        guard let name = ChannelName("channel \(member.random.below(6))") else { return nil }
        let own = options.sealing(nodes[node].identity, 0)
        let isForged = member.random.chance(permille: 500)
        let key = isForged ? publicKeys[victim] : own.publicKey
        let epoch = UInt16(member.random.below(3))
        let birth = ChannelBirth(
            channel: channelID(name, at: node), epoch: epoch, created: SimLimits.wallSecondsAtStart,
            creator: key, name: name.text)
        let state = ChannelState(
            epoch: epoch, version: 1 + UInt16(member.random.below(UInt64(WireLimits.channelVersionMax))),
            form: member.random.chance(permille: 500) ? .live : .deleted(now: nil), flags: [],
            changed: SimLimits.wallSecondsAtStart, editor: key)
        guard isForged else {
            let mesh = MeshID(ofOpenMesh: nodes[node].meshName ?? options.mesh, sealing: own)
            return SignedChannelEntry(birth: birth, state: state, in: mesh, with: own).bytes
        }
        let body = birth.encoded()
        let signature = own.signature(over: body)
        return SignedChannelEntry(birth: birth, signedBirth: body + signature, state: state, signature: signature).bytes
    }

    /// Returns an epoch: a new secret of the closed mesh, with the names of the nodes that stay. Either it names the
    /// victim as its maker, with a forged signature; or the member made it, and is itself among those that have left.
    private func forgedEpoch(
        by node: Int, of victim: Int, _ mesh: ClosedMesh, _ member: HostileMember
    ) -> EpochGrant? {
        let own = options.sealing(nodes[node].identity, 0)
        let isForged = member.random.chance(permille: 500)
        let ahead = 1 + UInt32(member.random.below(3))
        let all = network.hosts.map(\.node).sorted()
        guard
            let secret = EpochSecret(
                number: mesh.newestKeys.number + ahead, bytes: own.randomBytes(count: EpochSecret.byteCount))
        else { return nil }
        let entry = EpochEntry(
            mesh: mesh.id, number: secret.number, secretHash: secret.hash(with: own),
            codeHash: secret.codeHash(of: nil, with: own), maker: isForged ? publicKeys[victim] : own.publicKey,
            stay: isForged ? all : all.filter { $0 != own.nodeID }, left: isForged ? [] : [own.nodeID])
        let signed =
            isForged
            ? SignedEpochEntry(entry, signature: own.signature(over: entry.encoded()))
            : SignedEpochEntry(signing: entry, with: own)
        return EpochGrant(entry: signed, secret: secret.bytes, codeKey: nil)
    }
}
