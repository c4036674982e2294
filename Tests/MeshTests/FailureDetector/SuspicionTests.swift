import Mesh
import MeshTestKit
import Primitives
import Testing
import Wire

@Suite("The slow verdict")
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

    @Test("a crash is a death after six to eight seconds everywhere, and the rest are a whole clique", arguments: 2...5)
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

    @Test("the dead who come back are linked at once, as the same instance and as the next")
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

    @Test("whom a neighbour still hears is not dead before the longest wait is over, and then it is")
    func vouchedFor() {
        let cluster = clique(3)
        // 0 and 1 lose each other, and 2 hears both but brings nothing on: neither datagrams, which are
        // longer than its own control blocks, nor tunnels.
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

    @Test("a node that stood still accuses nobody")
    func ownPause() {
        let cluster = clique(4)
        cluster.pause(0, for: .seconds(5))
        cluster.drive(for: .seconds(40))
        #expect(deaths(cluster, 0).isEmpty)
        #expect((0..<4).allSatisfy { cluster.status($0).isCliqueComplete })
        #expect(cluster.status(1).localHealth == 0)
    }

    @Test("who leaves is neither suspected nor sought")
    func leaves() {
        let cluster = clique(3)
        cluster.command(0, .leave)
        cluster.drive(for: .seconds(30))
        #expect(cluster.peer(0, at: 1)?.presence == .left)
        #expect(cluster.counter(.suspicions, at: 1) == 0 && cluster.counter(.deadRetried, at: 1) == 0)
    }

    @Test("halves of a partition find each other again soon after it heals, at a bounded cost")
    func partition() {
        let cluster = clique(6)
        for a in 0..<3 { for b in 3..<6 { cluster.separate(a, b) } }
        cluster.drive(for: .seconds(60))
        #expect(isDead(cluster, 3, at: 0) && isDead(cluster, 0, at: 3))
        #expect((0..<6).allSatisfy { cluster.status($0).isCliqueComplete })
        // Each of the six draws at most once in half an interval for each of its three-strong half.
        let drawn = (0..<6).reduce(0) { $0 + cluster.counter(.deadRetried, at: $1) }
        #expect(0 < drawn && drawn <= 6 * 54 * 2 / 3)
        for a in 0..<3 { for b in 3..<6 { cluster.separate(a, b, false) } }
        #expect(
            cluster.drive(atMost: .seconds(10)) {
                (0..<6).allSatisfy { a in (0..<6).allSatisfy { a == $0 || cluster.isUp(a, $0) } }
            })
    }

    @Test("the wait is short where all neighbours agree, or there is none, and long while one still hears it")
    func waits() {
        let start = Instant.zero + .seconds(1)
        func wait(_ neighbours: Int, _ confirmations: Int, healthFactor: Int64 = 1) -> Interval {
            var suspicion = Suspicion(.silence, since: start)
            suspicion.review(neighbours: neighbours, confirmations: confirmations, suspects: 1, now: start)
            return suspicion.deadline(healthFactor: healthFactor, policy: .standard) - start
        }
        let (least, most) = (MeshLimits.suspicionMin, MeshLimits.suspicionMax)
        #expect(wait(0, 0) == least)
        #expect(wait(1, 0) == most && wait(1, 1) == least)
        #expect(wait(9, 9) == least && wait(9, 8) == most)
        #expect(wait(1, 1, healthFactor: 3) == least * 3)
        #expect(wait(1, 1, healthFactor: 9) == most && wait(1, 0, healthFactor: 9) == most * 9)
    }

    @Test("the own ears vouch for a suspect as a neighbour does, and no longer")
    func heard() {
        let start = Instant.zero + .seconds(1)
        let (least, most) = (MeshLimits.suspicionMin, MeshLimits.suspicionMax)
        var suspicion = Suspicion(.silence, since: start)
        suspicion.review(neighbours: 2, confirmations: 2, suspects: 1, now: start)
        suspicion.hear(now: start + .seconds(3))
        #expect(suspicion.deadline(healthFactor: 1, policy: .standard) == start + .seconds(3) + least)
        suspicion.hear(now: start + .seconds(23))
        #expect(suspicion.deadline(healthFactor: 1, policy: .standard) == start + most)
        suspicion.restart(now: start + .seconds(23))
        #expect(suspicion.deadline(healthFactor: 1, policy: .standard) == start + .seconds(23) + least)
        #expect(suspicion.deadline(healthFactor: 1, policy: .plain(least)) == start + .seconds(23) + least)
    }

    @Test("no time passes while several are silent and nobody is left to ask")
    func alone() {
        let start = Instant.zero + .seconds(1)
        var suspicion = Suspicion(.silence, since: start)
        suspicion.review(neighbours: 0, confirmations: 0, suspects: 3, now: start)
        #expect(suspicion.deadline(healthFactor: 1, policy: .standard) == start + MeshLimits.suspicionAloneMax)
        let back = start + .seconds(40)
        suspicion.review(neighbours: 1, confirmations: 1, suspects: 2, now: back)
        #expect(suspicion.deadline(healthFactor: 1, policy: .standard) == back + MeshLimits.suspicionMin)
    }

    @Test("a node that hears nobody for two seconds loses no link by it, and for longer accuses nobody")
    func deaf() {
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

    @Test("a node that is woken late again and again doubts itself and loses no link")
    func lags() {
        let cluster = clique(4)
        for _ in 0..<12 {
            cluster.pause(0, for: .milliseconds(900))
            cluster.drive(for: .milliseconds(150))
        }
        #expect(0 < cluster.counter(.ownLags, at: 0) && cluster.counter(.ownPauses, at: 0) == 0)
        #expect(0 < cluster.status(0).localHealth)
        #expect(cluster.events(0).allSatisfy { if case .peerDown = $0 { false } else { true } })
    }

    @Test("two that crash together are both dead after six to eight seconds")
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

    @Test("who loses everybody at once doubts itself: it waits until no key is good any more, they wait the least")
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

    @Test("a newcomer that hears of a dead node gives it up as well, and tells nobody of a loss")
    func indirect() {
        let cluster = clique(3)
        cluster.powerOff(0)
        cluster.drive(for: .seconds(10))
        let newcomer = cluster.start(seed: 9)
        cluster.discover(1, by: newcomer)
        #expect(cluster.drive(atMost: .seconds(20)) { cluster.status(newcomer).isCliqueComplete })
        #expect(deaths(cluster, newcomer).isEmpty)
    }

    @Test("a restart is no sign of ill health in those who saw it")
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

@Suite("Local health, flap damping and loss of control blocks")
struct HealthTests {
    private let start = Instant.zero + .seconds(100)

    @Test("health worsens by signs up to its bound and recovers a step a second")
    func localHealth() {
        var health = LocalHealth()
        for _ in 0..<20 { health.worsen(now: start) }
        #expect(health.isSaturated && health.factor == Int64(MeshLimits.healthScoreMax) + 1)
        health.improve(now: start + .milliseconds(999))
        #expect(health.isSaturated)
        for second: Int64 in 1...20 { health.improve(now: start + .seconds(second)) }
        #expect(health.score == 0)
    }

    @Test("the third of three turns in eight seconds each is no longer told, and calm is told within a minute")
    func flaps() {
        var flaps = FlapDamping()
        var damped: [Bool] = []
        for turn: Int64 in 0..<10 {
            flaps.flap(now: start + .seconds(turn * 8))
            damped.append(flaps.isDamped)
        }
        #expect(damped == [false, false] + [Bool](repeating: true, count: 8))
        let last = start + .seconds(72)
        #expect(flaps.calmAt <= last + .seconds(62))
        let early = flaps.settle(now: flaps.calmAt - .seconds(3))
        #expect(!early)
        let settled = flaps.settle(now: flaps.calmAt)
        #expect(settled && !flaps.isDamped && flaps.calmAt == .distantFuture)
    }

    @Test("the penalty halves with each half-life and never rises by itself")
    func decay() {
        var flaps = FlapDamping()
        flaps.flap(now: start)
        #expect(flaps.current(now: start) == MeshLimits.flapPenalty)
        #expect(flaps.current(now: start + MeshLimits.flapHalfLife) == MeshLimits.flapPenalty / 2)
        #expect(flaps.current(now: start + MeshLimits.flapHalfLife * 2) == MeshLimits.flapPenalty / 4)
        var before = Int64.max
        for step: Int64 in 0..<200 {
            let value = flaps.current(now: start + .milliseconds(step * 777))
            #expect(value <= before)
            before = value
        }
    }

    @Test(
        "random loss lengthens the silence that is allowed; an outage and a change of path do not",
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
            if permille <= random.below(1_000) { loss.note(sequence, path: 0, now: now) }
        }
        #expect(abs(loss.permille - Int(permille)) <= 45)
        #expect(abs((loss.silenceMax - silence).nanoseconds) <= Interval.milliseconds(500).nanoseconds)
        var outage = ControlLoss()
        outage.note(1, path: 0, now: .zero)
        outage.note(5_000, path: 0, now: .zero + .seconds(2_000))
        outage.note(9_000, path: 1, now: .zero + .seconds(3_600))
        #expect(20 < outage.permille && outage.permille < 30 && outage.silenceMax == MeshLimits.silenceMax)
    }

    @Test("numbers that are skipped without there having been time to lose a block are no loss")
    func burst() {
        var loss = ControlLoss()
        var random = SeededRandom(seed: 7)
        // Who has stood still answers what waited by three ways at once; this one brings a third, out of order.
        var answers = (0..<300 as Range<UInt32>).filter { $0 % 3 == 0 }
        answers.shuffle(using: &random)
        for (index, sequence) in answers.enumerated() {
            loss.note(sequence, path: 0, now: .zero + .microseconds(Int64(index)))
        }
        #expect(loss.permille == 0)
        loss.note(302, path: 0, now: .zero + MeshLimits.controlInterval)
        #expect(loss.permille == 0)
        loss.note(304, path: 0, now: .zero + MeshLimits.controlInterval * 3)
        #expect(0 < loss.permille)
    }
}
