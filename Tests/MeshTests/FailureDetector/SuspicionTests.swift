import Mesh
import MeshTestKit
import Primitives
import Testing
import Wire

@Suite("From suspicion to death")
struct SuspicionTests {
    private func clique(_ count: Int) -> MeshCluster {
        let cluster = MeshCluster.acquainted(count)
        cluster.drive(for: .seconds(2))
        return cluster
    }

    private func isDead(_ cluster: MeshCluster, _ peer: Int, at index: Int) -> Bool {
        cluster.peer(peer, at: index)?.presence.isDead == true
    }

    private func deaths(_ cluster: MeshCluster, _ index: Int) -> [NodeID] {
        cluster.events(index).compactMap { if case .peerDead(let node, _) = $0 { node } else { nil } }
    }

    @Test(
        "the others declare a crashed node dead after six to eight seconds, and form a complete clique",
        arguments: 2...5)
    func crash(count: Int) {
        let cluster = clique(count)
        let start = cluster.now
        cluster.powerOff(0)
        let rest = Array(1..<count)
        #expect(cluster.drive(atMost: .seconds(8)) { rest.allSatisfy { isDead(cluster, 0, at: $0) } })
        #expect(.seconds(6) - .milliseconds(500) <= cluster.now - start)
        cluster.drive(for: .seconds(2))
        if 2 < count { #expect(rest.allSatisfy { cluster.status($0).isCliqueComplete }) }
        #expect(rest.allSatisfy { cluster.status($0).peersKnown == count - 2 })
        cluster.drive(for: .seconds(60))
        #expect(rest.allSatisfy { deaths(cluster, $0) == [cluster.id(of: 0)] })
    }

    @Test("a dead node that returns is linked again within 12 s, as the same boot and as the next")
    func comesBack() {
        for isSameBoot in [true, false] {
            let cluster = clique(3)
            if isSameBoot {
                for other in 1...2 { cluster.separate(0, other) }
            } else {
                cluster.powerOff(0)
            }
            #expect(cluster.drive(atMost: .seconds(12)) { isDead(cluster, 0, at: 1) && isDead(cluster, 0, at: 2) })
            if isSameBoot {
                for other in 1...2 { cluster.separate(0, other, false) }
            } else {
                cluster.restart(0, instance: 2)
                cluster.discover(1, by: 0)
            }
            #expect(
                cluster.drive(atMost: .seconds(12)) {
                    cluster.isUp(0, 1) && cluster.isUp(0, 2) && cluster.isUp(1, 2)
                })
            #expect(cluster.peer(0, at: 1)?.presence == .present)
            cluster.drive(for: .seconds(2))
            #expect((0..<3).allSatisfy { cluster.status($0).isCliqueComplete })
        }
    }

    @Test("a peer that a neighbour still hears is declared dead only after the longest wait")
    func vouchedFor() {
        let cluster = clique(3)
        // Nodes 0 and 1 lose each other. Node 2 hears both, but its relayed datagrams, which are longer than its
        // control blocks, and its tunnels are lost.
        cluster.separate(0, 1)
        cluster.dropsDatagram = { from, _, bytes in from == 2 && 100 < bytes.count }
        cluster.dropsFrame = { frame in
            if case .tunnel? = try? CarrierMessage(parsing: frame, isBeforeHello: false) { true } else { false }
        }
        cluster.drive(for: .seconds(20))
        #expect(cluster.peer(1, at: 0)?.presence.suspicion?.hasLinkedNeighbour == true)
        #expect(deaths(cluster, 0).isEmpty && deaths(cluster, 1).isEmpty)
        cluster.drive(for: .seconds(8))
        #expect(deaths(cluster, 0) == [cluster.id(of: 1)])
        #expect(deaths(cluster, 2).isEmpty)
    }

    @Test("a node that was paused for five seconds declares no peer dead")
    func ownPause() {
        let cluster = clique(4)
        cluster.pause(0, for: .seconds(5))
        cluster.drive(for: .seconds(40))
        #expect(deaths(cluster, 0).isEmpty)
        #expect((0..<4).allSatisfy { cluster.status($0).isCliqueComplete })
        #expect(cluster.status(1).localHealth == 0)
    }

    @Test("halves of a partition link again within ten seconds after it heals, with a bounded number of retries")
    func partition() {
        let cluster = clique(6)
        for a in 0..<3 { for b in 3..<6 { cluster.separate(a, b) } }
        cluster.drive(for: .seconds(60))
        #expect(isDead(cluster, 3, at: 0) && isDead(cluster, 0, at: 3))
        #expect((0..<6).allSatisfy { cluster.status($0).isCliqueComplete })
        // The three nodes of a half share a rate of at most two retries a second, for 54 s.
        let drawn = (0..<6).reduce(0) { $0 + cluster.counter(.deadRetried, at: $1) }
        #expect(0 < drawn && drawn <= 6 * 54 * 2 / 3)
        for a in 0..<3 { for b in 3..<6 { cluster.separate(a, b, false) } }
        #expect(
            cluster.drive(atMost: .seconds(10)) {
                (0..<6).allSatisfy { a in (0..<6).allSatisfy { a == $0 || cluster.isUp(a, $0) } }
            })
    }

    @Test("a short absence of this node is added to a suspicion, and after a long one the suspicion begins again")
    func forgiven() {
        let start = Instant.zero + .seconds(1)
        let least = MeshLimits.suspicionMin
        var suspicion = Suspicion(.silence, since: start)
        suspicion.review(neighbours: 2, confirmations: 2, suspects: 1, now: start)
        suspicion.forgive(Absence(.seconds(1)), now: start + .seconds(3))
        #expect(suspicion.deadline(healthFactor: 1, policy: .standard) == start + .seconds(1) + least)
        suspicion.forgive(Absence(.milliseconds(1_001)), now: start + .seconds(4))
        #expect(suspicion.deadline(healthFactor: 1, policy: .standard) == start + .seconds(4) + least)
        suspicion.restart(now: start + .seconds(23))
        #expect(suspicion.deadline(healthFactor: 1, policy: .standard) == start + .seconds(23) + least)
        #expect(suspicion.deadline(healthFactor: 1, policy: .plain(least)) == start + .seconds(23) + least)
    }

    @Test("a receive outage of two seconds takes no link down, and a longer one declares no peer dead")
    func receiveOutage() {
        let cluster = clique(5)
        func downs() -> Int { cluster.events(0).count { if case .peerDown = $0 { true } else { false } } }
        let inward = Set((1..<5).flatMap { [MeshCluster.Cut.datagrams(from: $0, to: 0), .carriers($0, 0)] })
        cluster.cuts = inward
        cluster.drive(for: .seconds(2))
        #expect(downs() == 0)
        cluster.cuts = []
        cluster.drive(for: .seconds(4))
        #expect(downs() == 0 && cluster.counter(.receiveOutages, at: 0) == 1)
        #expect((0..<5).allSatisfy { cluster.status($0).isCliqueComplete })
        cluster.cuts = inward
        cluster.drive(for: .seconds(30))
        #expect(downs() == 4)
        cluster.cuts = []
        cluster.drive(for: .seconds(30))
        #expect((0..<5).allSatisfy { deaths(cluster, $0).filter { $0 != cluster.id(of: 0) }.isEmpty })
        #expect(deaths(cluster, 0).isEmpty && (0..<5).allSatisfy { cluster.status($0).isCliqueComplete })
    }

    @Test("a node that handles its deadlines late again and again loses local health, but no link")
    func lags() {
        let cluster = clique(4)
        for _ in 0..<12 {
            cluster.pause(0, for: .milliseconds(900))
            cluster.drive(for: .milliseconds(150))
        }
        #expect(0 < cluster.counter(.ownPauses, at: 0))
        #expect(0 < cluster.status(0).localHealth)
        #expect(cluster.events(0).allSatisfy { if case .peerDown = $0 { false } else { true } })
    }

    @Test("two nodes that crash together are both declared dead within eight seconds")
    func crashTogether() {
        let cluster = clique(4)
        cluster.powerOff(0)
        cluster.drive(for: .milliseconds(300))
        cluster.powerOff(1)
        #expect(
            cluster.drive(atMost: .seconds(8)) {
                [2, 3].allSatisfy { isDead(cluster, 0, at: $0) && isDead(cluster, 1, at: $0) }
            })
    }

    @Test("a node that loses all peers waits until their keys expire, while its peers wait the shortest time")
    func lonely() {
        let cluster = clique(4)
        for other in 1..<4 { cluster.separate(0, other) }
        cluster.drive(for: .seconds(12))
        #expect((1..<4).allSatisfy { isDead(cluster, 0, at: $0) })
        cluster.drive(for: .seconds(150))
        #expect(deaths(cluster, 0).isEmpty)
        cluster.drive(for: .seconds(30))
        #expect(deaths(cluster, 0).count == 3)
    }

    @Test("a newcomer that learns of a dead node gives it up without an event")
    func indirect() {
        let cluster = clique(3)
        cluster.powerOff(0)
        cluster.drive(for: .seconds(10))
        let newcomer = cluster.start(seed: 9)
        cluster.discover(1, by: newcomer)
        #expect(cluster.drive(atMost: .seconds(20)) { cluster.status(newcomer).isCliqueComplete })
        #expect(deaths(cluster, newcomer).isEmpty)
    }

    @Test("a restart of a peer does not worsen the local health of the others")
    func restarts() {
        let cluster = clique(3)
        for instance: UInt64 in 2...6 {
            cluster.kill(0)
            cluster.restart(0, instance: instance)
            cluster.discover(1, by: 0)
            cluster.drive(for: .seconds(2))
        }
        #expect(cluster.status(1).localHealth == 0 && cluster.status(2).localHealth == 0)
    }
}

@Suite("The loss of control blocks over many of them")
struct ControlLossCourseTests {
    @Test(
        "random loss extends the allowed silence; an outage and a change of path do not",
        arguments: [
            (permille: UInt64(0), silence: Interval.seconds(1)), (50, .seconds(1)), (200, .milliseconds(2_500)),
            (400, .seconds(4)),
        ])
    func controlLoss(permille: UInt64, silence: Interval) {
        var loss = ControlLoss()
        var random = SeededRandom(seed: 42)
        var now = Instant.zero
        for sequence: UInt32 in 0..<4_000 {
            now += MeshLimits.controlInterval - .milliseconds(Int64(random.below(125)))
            if permille <= random.below(1_000) { loss.add(sequence, path: 0, now: now) }
        }
        #expect(abs(loss.permille - Int(permille)) <= 45)
        #expect(abs((loss.silenceMax - silence).nanoseconds) <= Interval.milliseconds(500).nanoseconds)
        var outage = ControlLoss()
        outage.add(1, path: 0, now: .zero)
        outage.add(5_000, path: 0, now: .zero + .seconds(2_000))
        outage.add(9_000, path: 1, now: .zero + .seconds(3_600))
        #expect(20 < outage.permille && outage.permille < 30 && outage.silenceMax == MeshLimits.silenceMax)
    }

    @Test("skipped sequence numbers are no loss if there was no time to lose a block")
    func burst() {
        var loss = ControlLoss()
        var random = SeededRandom(seed: 7)
        // A node that was paused answers the waiting blocks over three paths at once. This path carries one answer in
        // three, out of order.
        var answers = (0..<300 as Range<UInt32>).filter { $0 % 3 == 0 }
        answers.shuffle(using: &random)
        for (index, sequence) in answers.enumerated() {
            loss.add(sequence, path: 0, now: .zero + .microseconds(Int64(index)))
        }
        #expect(loss.permille == 0)
        loss.add(302, path: 0, now: .zero + MeshLimits.controlInterval)
        #expect(loss.permille == 0)
        loss.add(304, path: 0, now: .zero + MeshLimits.controlInterval * 3)
        #expect(0 < loss.permille)
    }
}
