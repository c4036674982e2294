package import Primitives
package import Wire

/// A closed mesh, as one of its members knows it.
package struct ClosedMesh: Sendable {
    package let id: MeshID
    /// The name of the mesh, for people.
    package let name: String
    /// The keys of the epochs whose secrets this node has, the newest first: one or two.
    package let keys: [EpochKeys]
    private let newest: EpochSecret
    /// The key of the standing code, 32 bytes; nil if this node cannot admit anybody.
    package let codeKey: [UInt8]?

    /// - Precondition: one or two secrets, the newest first, and a name of a mesh.
    package init(id: MeshID, name: String, secrets: [EpochSecret], codeKey: [UInt8]?, with sealing: any Sealing) {
        guard WireLimits.proofTags.contains(secrets.count), let newest = secrets.first, MeshName.isValid(name) else {
            preconditionFailure("\(secrets.count) secrets of a mesh with a name of \(name.utf8.count) bytes")
        }
        precondition(secrets.allSatisfy { $0.number <= newest.number }, "the newest secret is the first")
        self.id = id
        self.name = name
        self.newest = newest
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

    /// Returns the keys of the highest epoch of which the peer has the secret too; nil if there is none.
    package func keys(
        matching tags: [[UInt8]], nonce: [UInt8], of peer: NodeID, with sealing: any Sealing
    ) -> EpochKeys? {
        keys.first { keys in
            let own = keys.proofTag(nonce: nonce, of: peer, with: sealing)
            return tags.contains { $0.isEqualInConstantTime(to: own) }
        }
    }
}

/// What a node is to the mesh that it looks for.
package enum MeshStanding: Sendable {
    /// The mesh is open: whoever knows its name is in it.
    case open
    case member(ClosedMesh)
    /// The node has the code of a closed mesh, and has not entered it. The code key has 32 bytes.
    case newcomer(codeKey: [UInt8])

    package var isMember: Bool { if case .member = self { true } else { false } }
}
