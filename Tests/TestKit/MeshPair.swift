package import Mesh
import Primitives

/// A leader and its follower.
package final class MeshPair {
    package let cluster = MeshCluster()
    package let leader: Int
    package let follower: Int

    package init(
        seeds: (UInt64, UInt64) = (1, 2), leaderInvites: InvitationPolicy = .open,
        followerInvites: InvitationPolicy = .open
    ) {
        let first = TestIdentity.nodeID(seed: seeds.0)
        let second = TestIdentity.nodeID(seed: seeds.1)
        let isFirstLeader = second < first
        cluster.start(seed: seeds.0, invitations: isFirstLeader ? leaderInvites : followerInvites)
        cluster.start(seed: seeds.1, invitations: isFirstLeader ? followerInvites : leaderInvites)
        (leader, follower) = isFirstLeader ? (0, 1) : (1, 0)
    }

    /// Two nodes whose link has settled.
    package static func linked() -> MeshPair {
        let pair = MeshPair()
        pair.discoverEachOther()
        precondition(pair.cluster.drive(atMost: .seconds(2)) { pair.isUp }, "a healthy pair links")
        pair.cluster.drive(for: .milliseconds(500))
        return pair
    }

    package func discoverEachOther() {
        cluster.discover(leader, by: follower)
        cluster.discover(follower, by: leader)
    }

    package var isUp: Bool { cluster.isUp(leader, follower) }
}
