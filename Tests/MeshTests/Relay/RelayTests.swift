import Mesh
import MeshTestKit
import Primitives
import Testing
import Wire

@Suite("Voice through a common neighbour")
struct RelayTests {
    /// Three nodes, all linked.
    private func trio() -> MeshCluster {
        let cluster = MeshCluster()
        for seed: UInt64 in 1...3 { cluster.start(seed: seed) }
        for a in 0..<3 { for b in 0..<3 where a != b { cluster.discover(b, by: a) } }
        #expect(cluster.drive(atMost: .seconds(5)) { isClique(cluster, [0, 1, 2]) })
        cluster.drive(for: .seconds(2))
        return cluster
    }

    private func isClique(_ cluster: MeshCluster, _ nodes: [Int]) -> Bool {
        nodes.allSatisfy { a in nodes.allSatisfy { b in a == b || cluster.isUp(a, b) } }
    }

    private func downs(_ cluster: MeshCluster, _ index: Int) -> Int {
        cluster.events(index).count { if case .peerDown = $0 { true } else { false } }
    }

    @Test("a pair that is cut goes on through the third node, loses no link, and returns when the path is open")
    func cutAndBack() {
        let cluster = trio()
        cluster.separate(0, 1)
        #expect(cluster.drive(atMost: .milliseconds(1_600)) { cluster.peer(1, at: 0)?.via == cluster.id(of: 2) })
        #expect(cluster.drive(atMost: .milliseconds(300)) { cluster.peer(0, at: 1)?.via == cluster.id(of: 2) })
        cluster.speak(0, to: 1, [42])
        cluster.drive(for: .milliseconds(20))
        #expect(cluster.members[1].voices.map(\.payload) == [[42]])
        cluster.drive(for: .seconds(20))
        #expect(isClique(cluster, [0, 1, 2]))
        #expect(cluster.status(2).pairsRelayed == 1)
        cluster.separate(0, 1, false)
        #expect(
            cluster.drive(atMost: MeshLimits.pathProbeIntervalMax + .seconds(1)) {
                cluster.peer(1, at: 0)?.path == .direct && cluster.peer(0, at: 1)?.path == .direct
            })
        #expect(downs(cluster, 0) == 0 && downs(cluster, 1) == 0)
        cluster.drive(for: MeshLimits.relayIdleMax + .seconds(1))
        #expect(cluster.status(2).pairsRelayed == 0)
    }

    @Test("a neighbour that was gone for a moment relays again as soon as it is back")
    func neighbourIsBack() {
        let cluster = trio()
        // The carrier of the two stays, so that neither uses another neighbour meanwhile.
        cluster.cuts = [.datagrams(from: 0, to: 1), .datagrams(from: 1, to: 0)]
        #expect(cluster.drive(atMost: .seconds(2)) { cluster.peer(1, at: 0)?.via == cluster.id(of: 2) })
        cluster.drive(for: .seconds(1))
        cluster.kill(2)
        cluster.drive(for: .milliseconds(500))
        cluster.restart(2, instance: 2)
        for other in [0, 1] {
            cluster.discover(2, by: other)
            cluster.discover(other, by: 2)
        }
        #expect(cluster.drive(atMost: .seconds(2)) { cluster.isUp(0, 2) && cluster.isUp(1, 2) })
        #expect(
            cluster.drive(atMost: .seconds(2)) {
                cluster.isUp(0, 1) && cluster.peer(1, at: 0)?.via == cluster.id(of: 2)
                    && cluster.peer(0, at: 1)?.via == cluster.id(of: 2)
            })
    }

    @Test("a cut in one direction moves both directions to the neighbour")
    func oneWay() {
        let cluster = trio()
        cluster.cuts = [.datagrams(from: 0, to: 1), .carriers(0, 1), .carriers(1, 0)]
        #expect(
            cluster.drive(atMost: .seconds(3)) {
                cluster.peer(1, at: 0)?.via != nil && cluster.peer(0, at: 1)?.via != nil
            })
        #expect(downs(cluster, 0) == 0 && downs(cluster, 1) == 0)
    }

    @Test("voice over two paths is heard once")
    func heardOnce() {
        let cluster = trio()
        cluster.cuts = [.datagrams(from: 0, to: 1), .datagrams(from: 1, to: 0)]
        var spoken: [[UInt8]] = []
        for count in 0..<600 {
            spoken.append([UInt8(count >> 8), UInt8(count & 255)])
            cluster.speak(0, to: 1, spoken[count])
            cluster.drive(for: .milliseconds(5))
        }
        let heard = cluster.members[1].voices.map(\.payload)
        #expect(Set(heard).count == heard.count)
        // The lost packets are those before the silence was noticed.
        #expect(600 - heard.count <= 320)
        #expect(heard.suffix(200) == spoken.suffix(200)[...])
    }

    @Test("when the only neighbour dies, a direct path that never worked before is found before the link is lost")
    func directInDoubt() {
        let cluster = MeshCluster()
        for seed: UInt64 in 1...3 { cluster.start(seed: seed) }
        cluster.separate(0, 1)
        for a in 0..<3 { for b in 0..<3 where a != b { cluster.discover(b, by: a) } }
        #expect(cluster.drive(atMost: .seconds(10)) { isClique(cluster, [0, 1, 2]) })
        // By then the direct path is tried rarely.
        cluster.drive(for: .seconds(60))
        #expect(cluster.peer(1, at: 0)?.via != nil)
        cluster.separate(0, 1, false)
        cluster.kill(2)
        cluster.drive(for: .seconds(5))
        #expect(cluster.peer(1, at: 0)?.path == .direct && cluster.peer(0, at: 1)?.path == .direct)
        #expect(downs(cluster, 0) == 1 && downs(cluster, 1) == 1)
    }

    @Test("when the neighbour dies, another one takes over")
    func neighbourDies() {
        let cluster = MeshCluster()
        for seed: UInt64 in 1...4 { cluster.start(seed: seed) }
        for a in 0..<4 { for b in 0..<4 where a != b { cluster.discover(b, by: a) } }
        #expect(cluster.drive(atMost: .seconds(5)) { isClique(cluster, [0, 1, 2, 3]) })
        cluster.drive(for: .seconds(2))
        cluster.separate(0, 1)
        #expect(cluster.drive(atMost: .seconds(3)) { cluster.peer(1, at: 0)?.via != nil })
        let helper = cluster.peer(1, at: 0)?.via == cluster.id(of: 2) ? 2 : 3
        cluster.kill(helper)
        let other = cluster.id(of: helper == 2 ? 3 : 2)
        #expect(cluster.drive(atMost: .milliseconds(1_600)) { cluster.peer(1, at: 0)?.via == other })
        #expect(
            !cluster.events(0).contains { if case .peerDown(_, cluster.id(of: 1), _, _) = $0 { true } else { false } })
    }

    @Test("a neighbour that relays control blocks and drops voice is left after 2 s, and not used again")
    func dropsVoice() {
        let cluster = trio()
        cluster.cuts = [.datagrams(from: 0, to: 1), .datagrams(from: 1, to: 0)]
        #expect(cluster.drive(atMost: .seconds(2)) { cluster.peer(1, at: 0)?.via == cluster.id(of: 2) })
        cluster.dropsDatagram = { from, _, bytes in from == 2 && 250 < bytes.count }
        /// The number of packets that node 1 hears.
        func heard(of count: Int) -> Int {
            let before = cluster.members[1].voices.count
            for _ in 0..<count {
                cluster.speak(0, to: 1, [UInt8](repeating: 7, count: 300))
                cluster.drive(for: .milliseconds(20))
            }
            return cluster.members[1].voices.count - before
        }
        #expect(heard(of: 100) < 100)
        #expect(cluster.peer(1, at: 0)?.path == .carrier)
        let count = Int(MeshLimits.relayAskedAgain.milliseconds / 20) * 2
        #expect(heard(of: count) == count)
    }

    @Test("a neighbour relays within its quota, and only to peers that it reaches itself")
    func quota() {
        let cluster = trio()
        cluster.separate(0, 1)
        #expect(cluster.drive(atMost: .seconds(3)) { cluster.isUp(0, 1) && cluster.peer(1, at: 0)?.via != nil })
        for _ in 0..<1_000 { cluster.speak(0, to: 1, [1]) }
        cluster.drive(for: .milliseconds(10))
        #expect(0 < cluster.counter(.relaysOverQuota, at: 2))
        #expect(cluster.members[1].voices.count <= MeshLimits.relayBurst + 10)
        // No node reaches node 1 any more: nothing is relayed there, and node 0 notices.
        cluster.separate(2, 1)
        #expect(cluster.drive(atMost: .seconds(5)) { cluster.peer(1, at: 0)?.state != .up })
    }

    @Test("a session whose link is down comes up through a new neighbour")
    func wakesThroughNewcomer() {
        let cluster = MeshCluster()
        for seed: UInt64 in 1...3 { cluster.start(seed: seed) }
        cluster.discover(1, by: 0)
        #expect(cluster.drive(atMost: .seconds(3)) { cluster.isUp(0, 1) })
        cluster.separate(0, 1)
        #expect(cluster.drive(atMost: .seconds(3)) { cluster.peer(1, at: 0)?.state != .up })
        for other in 0..<2 { cluster.discover(2, by: other) }
        #expect(cluster.drive(atMost: .seconds(5)) { cluster.peer(1, at: 0)?.via == cluster.id(of: 2) })
    }
}
