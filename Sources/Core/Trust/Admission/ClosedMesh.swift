package import Primitives
package import Wire

/// A closed mesh, as one of its members knows it.
package struct ClosedMesh: Sendable {
    package let id: MeshID
    /// The name of the mesh, for people.
    package let name: String
    /// The secrets of the epochs that this node has, the newest first: one or two.
    package let secrets: [EpochSecret]
    /// The keys that follow from `secrets`.
    package let keys: [EpochKeys]
    private let newest: EpochSecret
    /// The key of the code of the mesh, 32 bytes; nil if this node cannot admit anybody.
    package let codeKey: [UInt8]?
    /// The entry of the newest epoch; nil in epoch 1, and while a newcomer has received only GRANT.
    package let entry: SignedEpochEntry?
    /// Nodes that have proved the newest epoch to this node, `EpochLimits.provedMax` at most, in the order of their
    /// first proofs.
    package private(set) var proved: [NodeID]
    /// Nodes that have left by the entry and that this node, its maker, *keeps*: it gives them the new secret.
    package var kept: Set<NodeID> = []

    /// - Precondition: one or two secrets, the newest first, and a name of a mesh; the entry is of the newest.
    package init(
        id: MeshID, name: String, secrets: [EpochSecret], codeKey: [UInt8]?, entry: SignedEpochEntry? = nil,
        proved: [NodeID] = [], with sealing: any Sealing
    ) {
        guard WireLimits.proofTags.contains(secrets.count), let newest = secrets.first, MeshName.isValid(name) else {
            preconditionFailure("\(secrets.count) secrets of a mesh with a name of \(name.utf8.count) bytes")
        }
        precondition(secrets.allSatisfy { $0.number <= newest.number }, "the newest secret is the first")
        precondition(entry.map { $0.entry.number == newest.number } ?? true, "the entry of another epoch")
        self.id = id
        self.name = name
        self.newest = newest
        self.secrets = secrets
        self.entry = entry
        self.proved = proved
        keys = secrets.map { EpochKeys(of: $0, in: id, with: sealing) }
        self.codeKey = codeKey
    }

    /// The mesh that a GRANT gives to a newcomer. Nil if its secret is of no use.
    package init?(_ grant: MeshGrant, with sealing: any Sealing) {
        guard let secret = EpochSecret(number: grant.epoch, bytes: grant.secret) else { return nil }
        self.init(id: grant.mesh, name: grant.name, secrets: [secret], codeKey: grant.codeKey, with: sealing)
    }

    /// What a newcomer is given.
    package var grant: MeshGrant {
        MeshGrant(mesh: id, name: name, epoch: newest.number, secret: newest.bytes, codeKey: codeKey)
    }

    package var newestKeys: EpochKeys { keys[0] }

    /// Returns the tags of a PROOF with this nonce, the newest first.
    package func proofTags(nonce: [UInt8], of node: NodeID, with sealing: any Sealing) -> [[UInt8]] {
        keys.map { $0.proofTag(nonce: nonce, of: node, with: sealing) }
    }
}

extension [EpochKeys] {
    /// Returns the keys of the highest epoch of which the peer has the secret too; nil if there is none.
    package func matching(
        _ tags: [[UInt8]], nonce: [UInt8], of peer: NodeID, with sealing: any Sealing
    ) -> EpochKeys? {
        first { keys in
            let own = keys.proofTag(nonce: nonce, of: peer, with: sealing)
            return tags.contains { $0.isEqualInConstantTime(to: own) }
        }
    }
}

// MARK: Changes of the code

extension ClosedMesh {
    /// Whether the entry of the newest epoch names the node among those that stay.
    package func stays(_ node: NodeID) -> Bool { entry?.entry.stay.contains(node) == true }

    /// Whether this node gives the peer the new secret although it proves only the former one: the peer stays by the
    /// entry, or is kept.
    package func takesAlong(_ node: NodeID) -> Bool { stays(node) || kept.contains(node) }

    /// Whether the node has left by the entry of the newest epoch.
    package func hasLeft(_ node: NodeID) -> Bool { entry?.entry.left.contains(node) == true }

    /// Whether the node has left by the entry of the newest epoch, and has entered again by the code.
    package func hasReturned(_ node: NodeID) -> Bool { hasLeft(node) && proved.contains(node) }

    /// Whether the node has proved the newest epoch to this node, or stays by its entry.
    package func isKnown(_ node: NodeID) -> Bool { !hasLeft(node) && (proved.contains(node) || stays(node)) }

    /// Whether some known member has this property.
    package func hasKnownMember(where isMeant: (NodeID) -> Bool) -> Bool {
        proved.contains { isMeant($0) && !hasLeft($0) } || entry?.entry.stay.contains(where: isMeant) == true
    }

    /// The known members, in ascending order.
    package var known: [NodeID] {
        Set((entry?.entry.stay ?? []) + proved).filter { !hasLeft($0) }.sorted()
    }

    /// Records that the node has proved the newest epoch. If there are too many, the newest one that is not linked
    /// goes: ever new keys of one member displace one another, and no member that is away.
    /// - Parameter linked: nodes that are forgotten for another one only if all are linked.
    /// - Returns: whether that is new.
    @discardableResult
    package mutating func recordProof(by node: NodeID, keeping linked: Set<NodeID> = []) -> Bool {
        guard !proved.contains(node) else { return false }
        proved.append(node)
        if EpochLimits.provedMax < proved.count {
            proved.remove(at: proved.lastIndex { $0 != node && !linked.contains($0) } ?? 0)
        }
        return true
    }

    /// The nodes that lie on disk with the mesh: those that this node keeps, and those that have proved the newest
    /// epoch. `EpochLimits.provedMax` at most.
    package var remembered: [NodeID] {
        let kept = kept.sorted().prefix(EpochLimits.provedMax)
        return Array(proved.filter { !kept.contains($0) }.prefix(EpochLimits.provedMax - kept.count) + kept)
    }

    /// Takes over the remembered nodes at a start. If this node has made the entry, it keeps those of them that have
    /// left by it. Each of these has proved the newest epoch, or is still to be given its secret: which one it is does
    /// not matter, and its next connection shows it.
    package mutating func recall(_ nodes: [NodeID], with sealing: any Sealing) {
        let isMaker = entry?.entry.maker == sealing.publicKey
        kept = isMaker ? Set(nodes.filter { hasLeft($0) }) : []
        proved = nodes.filter { !kept.contains($0) }
    }

    /// Returns the mesh in a higher epoch. The secret before the new one stays in use for nodes that were away.
    /// - Parameter codeKey: nil if nobody can be admitted by a code.
    package func following(
        _ secret: EpochSecret, codeKey: [UInt8]?, entry: SignedEpochEntry, with sealing: any Sealing
    ) -> ClosedMesh {
        ClosedMesh(id: id, name: name, secrets: [secret, newest], codeKey: codeKey, entry: entry, with: sealing)
    }

    /// Returns the mesh with the entry of its newest epoch, and the code of that entry: nothing binds that of GRANT.
    package func explained(by grant: EpochGrant, with sealing: any Sealing) -> ClosedMesh {
        ClosedMesh(
            id: id, name: name, secrets: secrets, codeKey: grant.codeKey, entry: grant.entry, proved: proved,
            with: sealing)
    }
}

/// Bounds of a member's memory of an epoch.
package enum EpochLimits {
    /// As many as an epoch entry can name.
    package static let provedMax = WireLimits.epochNodesMax
}

/// What a node is to the mesh that it looks for.
package enum MeshStanding: Sendable {
    /// The mesh is open: each node that has its name may link.
    case open
    /// Indirect, because the node's deadlines read the standing after each input.
    indirect case member(ClosedMesh)
    /// The node has a code of a closed mesh, and has not entered it. The code key has 32 bytes.
    case newcomer(codeKey: [UInt8], by: CodeKind)

    /// The keys of the epochs that a PROOF shows, the newest first; none in an open mesh, or if this node is a
    /// newcomer.
    package var keys: [EpochKeys] { if case .member(let mesh) = self { mesh.keys } else { [] } }

    package var isMember: Bool { if case .member = self { true } else { false } }
}
