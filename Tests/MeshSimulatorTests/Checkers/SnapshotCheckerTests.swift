import Mesh
import MeshSimulator
import Primitives
import Testing

@Suite("Checkers of a mesh at rest can fail")
struct SnapshotCheckerTests {
    private static func link(_ leader: UInt64, _ follower: UInt64, _ attempt: UInt32) -> LinkID {
        LinkID(
            leaderInstance: Instance(exactly: leader)!, followerInstance: Instance(exactly: follower)!,
            attempt: attempt)
    }

    /// Node 0 leads under instance 3. Node 1 follows under instance 5.
    private func pair(
        _ change: (inout MeshSnapshot.View, inout MeshSnapshot.View) -> Void = { _, _ in }
    ) -> MeshSnapshot {
        let link = Self.link(3, 5, 1)
        var zero = MeshSnapshot.View(peer: 1, state: .up, isLeader: true, link: link, upFor: .seconds(9))
        var one = MeshSnapshot.View(peer: 0, state: .up, isLeader: false, link: link, upFor: .seconds(9))
        change(&zero, &one)
        return MeshSnapshot(
            at: .zero,
            nodes: [
                MeshSnapshot.Node(index: 0, instance: Instance(exactly: 3)!, views: [zero]),
                MeshSnapshot.Node(index: 1, instance: Instance(exactly: 5)!, views: [one]),
            ], peersMax: 1)
    }

    @Test("a healthy pair causes no violation")
    func healthy() {
        #expect(pair().violation() == nil)
    }

    @Test("OneLinkPerPair finds two labels, two leaders, no leader, and a peer listed twice")
    func oneLink() {
        #expect(OneLinkPerPair().judge(pair { $1.link = Self.link(3, 5, 2) }) != nil)
        #expect(
            OneLinkPerPair().judge(
                pair {
                    $1.isLeader = true
                    $0.isLeader = true
                }) != nil)
        #expect(
            OneLinkPerPair().judge(
                pair {
                    $0.isLeader = false
                    $1.isLeader = false
                }) != nil)
        var twice = pair()
        twice.nodes[0].views.append(twice.nodes[0].views[0])
        #expect(OneLinkPerPair().judge(twice) != nil)
    }

    @Test("LinksAreCurrent finds a link with an old instance")
    func current() {
        #expect(
            LinksAreCurrent().judge(
                pair {
                    $0.link = Self.link(3, 4, 1)
                    $1.link = Self.link(3, 4, 1)
                }) != nil)
        #expect(
            LinksAreCurrent().judge(
                pair {
                    $0.link = Self.link(2, 5, 1)
                    $1.link = Self.link(2, 5, 1)
                }) != nil)
    }

    @Test("NoLinkIsHalfOpen finds a link that only one side shows, once it is old enough")
    func halfOpen() {
        #expect(
            NoLinkIsHalfOpen().judge(
                pair {
                    $1.state = .down
                    $1.upFor = nil
                }) != nil)
        #expect(
            NoLinkIsHalfOpen().judge(
                pair {
                    $1.state = .down
                    $0.upFor = .seconds(1)
                }) == nil)
        var missing = pair()
        missing.nodes[1].views = []
        #expect(NoLinkIsHalfOpen().judge(missing) != nil)
    }

    @Test("UpMatrix finds a gap in a clique, also if an earlier life is up")
    func gaps() {
        let one = Instance(exactly: 1)!
        let two = Instance(exactly: 2)!
        var matrix = UpMatrix(nodeCount: 2)
        matrix.observe(.started(node: 0, one))
        matrix.observe(.started(node: 1, two))
        matrix.observe(.peerUp(observer: 0, peer: 1, slot: 0, two))
        #expect(matrix.firstGap(among: [0, 1])?.observer == 1)
        matrix.observe(.peerUp(observer: 1, peer: 0, slot: 0, one))
        #expect(matrix.firstGap(among: [0, 1]) == nil)
        matrix.observe(.stopped(node: 1))
        matrix.observe(.started(node: 1, Instance(exactly: 3)!))
        #expect(matrix.firstGap(among: [0, 1])?.peer == 1)
    }
}
