import Mesh
import Primitives
import TestKit
import Testing
import Wire

@Suite("One path of a session")
struct PathLifeTests {
    private static let echo = Instant.zero + .seconds(100)
    private let start = PathLifeTests.echo
    private let place = Endpoint(address: IPAddress(v4: 10, 0, 0, 2), port: 7400)
    private func neighbour(_ seed: UInt64) -> PathRoute { .neighbour(TestIdentity.nodeID(seed: seed)) }

    @Test(
        "is fresh for 0.7 s after an echo and alive for 1.4 s, to the nanosecond",
        arguments: [
            (Interval.milliseconds(700), true, true), (.milliseconds(700) + Interval(nanoseconds: 1), false, true),
            (.milliseconds(1_400), false, true), (.milliseconds(1_400) + Interval(nanoseconds: 1), false, false),
        ])
    func ages(age: Interval, isFresh: Bool, isAlive: Bool) {
        var path = Path(.carrier, trust: .proved)
        #expect(!path.isFresh(now: start) && !path.isAlive(now: start))
        path.echoedAt = start
        #expect(path.isFresh(now: start + age) == isFresh)
        #expect(path.isAlive(now: start + age) == isAlive)
        path.trust = .challenged(number: 1)
        #expect(!path.isAlive(now: start + age))
    }

    @Test("is probed if it is proved and not forgotten")
    func probed() {
        var path = Path(.address(place), trust: .proved)
        #expect(path.isProbed)
        path.isForgotten = true
        #expect(!path.isProbed)
        path.trust = .challenged(number: 1)
        #expect(!path.isProbed)
        path.isForgotten = false
        #expect(!path.isProbed)
    }

    @Test(
        "through a neighbour is fruitless half a second after it was asked, and may be asked again after 20 s",
        arguments: [
            (Interval.milliseconds(499), false, false), (.milliseconds(500), true, false),
            (.seconds(20) - Interval(nanoseconds: 1), true, false), (.seconds(20), false, true),
        ])
    func asked(age: Interval, isFruitless: Bool, mayBeAsked: Bool) {
        var path = Path(neighbour(5), trust: .proved)
        #expect(path.mayBeAsked(now: start) && !path.isFruitless(now: start))
        path.askedAt = start
        #expect(path.isFruitless(now: start + age) == isFruitless)
        #expect(path.mayBeAsked(now: start + age) == mayBeAsked)
        path.echoedAt = start + age
        #expect(!path.isFruitless(now: start + age))
    }

    @Test("keeps the newest control block, with its first arrival, across the wrap of the numbers")
    func newestHeard() {
        var path = Path(.carrier, trust: .proved)
        func hear(_ sequence: UInt32, _ milliseconds: Int64) -> HeardBlock? {
            path.keepNewestHeard(sequence, now: start + .milliseconds(milliseconds))
            return path.newestHeard
        }
        let last = HeardBlock(sequence: .max, at: start)
        #expect(hear(.max, 0) == last)
        #expect(hear(.max, 1) == last)
        #expect(hear(.max - 1, 2) == last)
        #expect(hear(0, 3) == HeardBlock(sequence: 0, at: start + .milliseconds(3)))
        #expect(hear(1, 4) == HeardBlock(sequence: 1, at: start + .milliseconds(4)))
    }

    @Test("takes its first round trip unchanged, and an eighth of each further one")
    func roundTrip() {
        var path = Path(.carrier, trust: .proved)
        path.add(rtt: .milliseconds(8))
        #expect(path.rtt == .milliseconds(8))
        path.add(rtt: .milliseconds(16))
        #expect(path.rtt == .milliseconds(9))
        path.add(rtt: .milliseconds(1))
        #expect(path.rtt == .milliseconds(8))
    }

    @Test("knows its kind, its address and its neighbour")
    func kinds() {
        let node = TestIdentity.nodeID(seed: 5)
        let paths = [Path(.address(place), trust: .proved), Path(.neighbour(node), trust: .proved)]
        #expect(paths.map(\.kind) == [.direct, .relay] && Path(.carrier, trust: .proved).kind == .carrier)
        #expect(paths.map(\.endpoint) == [place, nil] && paths.map(\.neighbour) == [nil, node])
    }

    @Test("probes a better path after one second, then 2, 4, 8, 10 and 10 s apart")
    func probeIntervals() {
        var table = PathTable(direct: place)
        table[table.carrierIndex].echoedAt = start
        table.chooseAndSchedule(now: start)
        #expect(table.chosenPath.kind == .carrier && table.nextProbe == start + .seconds(1))
        // Another choice changes nothing while a probe is due.
        table.chooseAndSchedule(now: start + .milliseconds(500))
        var at = table.nextProbe
        #expect(at == start + .seconds(1))
        for seconds: Int64 in [2, 4, 8, 10, 10] {
            table.probeSent(0, now: at)
            #expect(table.nextProbe == at + .seconds(seconds))
            at = table.nextProbe
        }
        table[0].echoedAt = at
        table.chooseAndSchedule(now: at)
        #expect(table.chosenPath.kind == .direct && table.nextProbe == .distantFuture)
        // When the direct path fails again, the intervals start again.
        table[table.carrierIndex].echoedAt = at + .seconds(9)
        table.chooseAndSchedule(now: at + .seconds(9))
        #expect(table.nextProbe == at + .seconds(10))
    }

    @Test("beside a chosen carrier every proved and open path is probed, and the carrier itself is not")
    func probedKinds() throws {
        var table = PathTable(direct: place)
        let stranger = Endpoint(address: IPAddress(v4: 10, 0, 0, 3), port: 7400)
        _ = table.add(challenged: stranger, number: 1, now: start)
        for (seed, isOpen) in [(5 as UInt64, true), (6, false)] {
            _ = table.index(through: TestIdentity.nodeID(seed: seed), rank: seed, isOpen: isOpen, now: start)
        }
        table[table.carrierIndex].echoedAt = start
        table.chooseAndSchedule(now: start)
        let probed = table.paths.filter { $0.probeAt == start + .seconds(1) }.map(\.route)
        #expect(probed == [.address(place), neighbour(5)])
        let relay = try #require(table.index(of: neighbour(5)))
        table[relay].echoedAt = start
        table.chooseAndSchedule(now: start)
        // A neighbour carries the voice, so only a direct path is better.
        #expect(table.chosen == relay && table.paths.filter { $0.probeAt != .distantFuture }.map(\.kind) == [.direct])
    }
}
