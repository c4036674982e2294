package import Primitives
import Wire

/// The two nodes and the session that media keys belong to. It enters every key derivation, so that no two sessions
/// have the same key.
package struct SessionContext: Hashable, Sendable {
    package var leader: NodeID
    package var follower: NodeID
    package var link: LinkID
    package var leaderBoot: BootNonce
    package var followerBoot: BootNonce
    /// The nonces of both PROOFs of the carrier on which the session was agreed, that of the dialler first: 64 bytes.
    package var nonces: [UInt8]
    /// Whether this node is the leader.
    package var isLeader: Bool

    package init(
        leader: NodeID, follower: NodeID, link: LinkID, leaderBoot: BootNonce, followerBoot: BootNonce, nonces: [UInt8],
        isLeader: Bool
    ) {
        self.leader = leader
        self.follower = follower
        self.link = link
        self.leaderBoot = leaderBoot
        self.followerBoot = followerBoot
        self.nonces = nonces
        self.isLeader = isLeader
    }
}

/// The direction of a media key: the node that seals with it. The raw value enters the key derivation.
enum MediaDirection: UInt8 {
    case fromLeader = 0
    case fromFollower = 1
}

extension SessionContext {
    private static let label = Array("partyline/2 media".utf8)

    var sealingDirection: MediaDirection { isLeader ? .fromLeader : .fromFollower }
    var openingDirection: MediaDirection { isLeader ? .fromFollower : .fromLeader }

    /// Returns the `info` of HKDF for one generation and direction (docs/WIRE.md, "Media keys").
    func derivationInfo(generation: UInt32, direction: MediaDirection) -> [UInt8] {
        var writer = ByteWriter(capacity: 192)
        writer.raw(SessionContext.label)
        writer.raw(leader.bytes)
        writer.raw(follower.bytes)
        writer.number(link.leaderInstance.number, byteCount: WireSizes.instanceBytes)
        writer.number(link.followerInstance.number, byteCount: WireSizes.instanceBytes)
        writer.u32(link.attempt)
        writer.u64(leaderBoot.number)
        writer.u64(followerBoot.number)
        writer.u32(generation)
        writer.u8(direction.rawValue)
        writer.raw(nonces)
        return writer.bytes
    }
}
