import MeshSimulator
import Primitives
import Testing

/// Statistics of the datagram model, compared with its settings.
@Suite("Network model")
struct SimNetworkTests {
    private static let packets = 100_000

    private struct Tally {
        var lost = 0
        var doubled = 0
        var corrupt = 0
        var overtakes = 0
        var delaySum: Int64 = 0
        var delayMin = Int64.max
        var runs = 0
    }

    private func tally(_ rule: LinkRule) -> Tally {
        var network = SimNetwork.bench(hosts: 2, rule: rule, seed: 11)
        var tally = Tally()
        var now = Instant.zero
        var lastArrival = Instant.zero
        var wasLost = false
        for _ in 0..<Self.packets {
            now += .milliseconds(1)
            switch network.transit(from: 0, to: 1, now: now) {
            case .lost:
                tally.lost += 1
                if !wasLost { tally.runs += 1 }
                wasLost = true
            case .arrives(let after, let again, let isCorrupt):
                wasLost = false
                if again != nil { tally.doubled += 1 }
                if isCorrupt { tally.corrupt += 1 }
                if now + after < lastArrival { tally.overtakes += 1 }
                lastArrival = now + after
                tally.delaySum += after.nanoseconds
                tally.delayMin = min(tally.delayMin, after.nanoseconds)
            }
        }
        return tally
    }

    @Test("loss, duplication and corruption occur at the set rates", arguments: [0, 10, 50, 200, 500] as [UInt64])
    func rates(permille: UInt64) {
        let tally = tally(
            LinkRule(
                delayMin: .milliseconds(5), delayMean: .milliseconds(2), lossPermille: permille,
                duplicatePermille: permille, corruptPermille: permille))
        let expected = Double(permille) / 1_000
        let arrived = Double(Self.packets - tally.lost)
        #expect(abs(Double(tally.lost) / Double(Self.packets) - expected) < 0.01)
        #expect(abs(Double(tally.doubled) / arrived - expected) < 0.01)
        #expect(abs(Double(tally.corrupt) / arrived - expected) < 0.01)
    }

    @Test("a lost and a damaged datagram are remembered, and one that arrives is not")
    func lastLost() {
        func lastLost(_ rule: LinkRule) -> Instant? {
            var network = SimNetwork.bench(hosts: 2, rule: rule, seed: 11)
            _ = network.transit(from: 0, to: 1, now: .zero + .seconds(3))
            #expect(network.lastLost(from: 1, to: 0) == nil)
            return network.lastLost(from: 0, to: 1)
        }
        #expect(lastLost(.wired) == nil)
        let losing = LinkRule(delayMin: .zero, delayMean: .zero, lossPermille: 1_000)
        let damaging = LinkRule(delayMin: .zero, delayMean: .zero, corruptPermille: 1_000)
        #expect(lastLost(losing) == .zero + .seconds(3) && lastLost(damaging) == .zero + .seconds(3))
    }

    @Test("the delay has its set minimum and mean, and packets overtake each other")
    func delays() {
        let tally = tally(LinkRule(delayMin: .milliseconds(5), delayMean: .milliseconds(2)))
        let mean = Double(tally.delaySum) / Double(Self.packets)
        #expect(5_000_000 <= tally.delayMin && tally.delayMin < 5_010_000)
        #expect(abs(mean - 7_000_000) < 50_000)
        #expect(10_000 < tally.overtakes)
    }

    @Test("burst loss comes in runs, at the share that the two states give")
    func bursts() {
        let bursts = BurstLoss(goodMean: .seconds(1), badMean: .milliseconds(100), badLossPermille: 900)
        let tally = tally(LinkRule(delayMin: .zero, delayMean: .zero, bursts: bursts))
        let share = Double(tally.lost) / Double(Self.packets)
        // 0.1 s of 1.1 s, and nine tenths of it lost. About ninety bursts of varying length fall into the run; the
        // margin is three standard deviations.
        #expect(abs(share - 0.0818) < 0.035)
        #expect(5 < Double(tally.lost) / Double(tally.runs))
    }

    @Test("a cut works in one direction only")
    func oneWay() {
        var network = SimNetwork.bench(hosts: 2, rule: .wired, seed: 1)
        network.cut(from: 0, to: 1)
        #expect(network.transit(from: 0, to: 1, now: .zero) == .lost)
        #expect(network.transit(from: 1, to: 0, now: .zero) != .lost)
        network.mend(from: 0, to: 1)
        #expect(network.transit(from: 0, to: 1, now: .zero) != .lost)
    }

    @Test("a partition need not be transitive")
    func nonTransitive() {
        var network = SimNetwork.bench(hosts: 3, rule: .wired, seed: 1)
        network.cut(from: 0, to: 2)
        network.cut(from: 2, to: 0)
        #expect(!network.isOpen(from: 0, to: 2))
        #expect(network.isOpen(from: 0, to: 1) && network.isOpen(from: 1, to: 2))
    }

    @Test("a firewall for datagrams lets connections pass")
    func datagramsOnly() {
        var network = SimNetwork.bench(hosts: 2, rule: .wired, seed: 1)
        network[0, 1].dropsDatagrams = true
        #expect(network.transit(from: 0, to: 1, now: .zero) == .lost)
        #expect(network.isOpen(from: 0, to: 1))
    }

    @Test("corruption flips one bit")
    func oneBit() {
        var network = SimNetwork.bench(hosts: 2, rule: .wired, seed: 1)
        let bytes = [UInt8](repeating: 0, count: 50)
        for _ in 0..<100 {
            let ones = network.corrupted(bytes, from: 0, to: 1).reduce(0) { $0 + $1.nonzeroBitCount }
            #expect(ones == 1)
        }
    }

    @Test("an additional packet on one path does not change the delays of the others")
    func streamsAreApart() {
        var quiet = SimNetwork.bench(hosts: 3, rule: .wired, seed: 5)
        var busy = SimNetwork.bench(hosts: 3, rule: .wired, seed: 5)
        for _ in 0..<7 { _ = busy.transit(from: 0, to: 1, now: .zero) }
        for (from, to) in [(1, 0), (0, 2), (2, 1)] {
            #expect(quiet.transit(from: from, to: to, now: .zero) == busy.transit(from: from, to: to, now: .zero))
        }
        #expect(quiet.transit(from: 0, to: 1, now: .zero) != busy.transit(from: 0, to: 1, now: .zero))
    }
}
