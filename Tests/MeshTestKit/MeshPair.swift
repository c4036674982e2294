package import Mesh
import Primitives
import TestKit
import Wire

/// Two nodes in a cluster: a leader and its follower.
package final class MeshPair {
    package let cluster = MeshCluster()
    package let leader: Int
    package let follower: Int

    package init(
        seeds: (UInt64, UInt64) = (1, 2), leaderPolicy: AdmissionPolicy = .open,
        followerPolicy: AdmissionPolicy = .open
    ) {
        let first = TestIdentity.nodeID(seed: seeds.0)
        let second = TestIdentity.nodeID(seed: seeds.1)
        let isFirstLeader = second < first
        cluster.start(seed: seeds.0, admissionPolicy: isFirstLeader ? leaderPolicy : followerPolicy)
        cluster.start(seed: seeds.1, admissionPolicy: isFirstLeader ? followerPolicy : leaderPolicy)
        (leader, follower) = isFirstLeader ? (0, 1) : (1, 0)
    }

    /// Returns a pair whose link has been up for half a second.
    package static func linked() -> MeshPair {
        let pair = MeshPair()
        pair.discoverEachOther()
        precondition(pair.cluster.drive(atMost: .seconds(2)) { pair.isUp }, "a healthy pair links")
        pair.cluster.drive(for: .milliseconds(500))
        return pair
    }

    /// Returns a pair in which the leader has seen instance `former` of the follower, and the follower has started
    /// again with the lower instance `present`, as after its state was rolled back.
    package static func rolledBack(from former: UInt64, to present: UInt64) -> MeshPair {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        cluster.kill(pair.follower)
        cluster.restart(pair.follower, instance: former)
        cluster.discover(pair.leader, by: pair.follower)
        precondition(cluster.drive(atMost: .seconds(3)) { pair.isUp }, "a restart links")
        cluster.kill(pair.follower)
        cluster.drive(for: .seconds(2))
        cluster.restart(pair.follower, instance: present)
        cluster.discover(pair.leader, by: pair.follower)
        return pair
    }

    package func discoverEachOther() {
        cluster.discover(leader, by: follower)
        cluster.discover(follower, by: leader)
    }

    /// Resets all carriers, and lets all further dials fail.
    package func loseCarrier() {
        cluster.cuts = [.dials(from: leader, to: follower), .dials(from: follower, to: leader)]
        cluster.resetCarriers(leader, follower)
    }

    package var isUp: Bool { cluster.isUp(leader, follower) }
}

extension MeshCluster {
    /// Lets `listener` receive a signed record of `subject` with this instance, in a beacon.
    package func remember(instance: UInt64, of subject: Int, at listener: Int) {
        var former = members[subject].configuration
        former.instance = Instance(exactly: instance) ?? .max
        let record = OwnRecord(former, sealing: members[subject].sealing).signed
        input(listener, .beacon(Beacon(mesh: former.mesh, record: record).encoded(), from: endpoint(of: subject)))
    }
}
