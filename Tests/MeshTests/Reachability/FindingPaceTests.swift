import Mesh
import Primitives
import Testing

@Suite("The pace of retries, beacons, connect requests and direct searches")
struct FindingPaceTests {
    private func after(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

    /// 400 draws lie within the bounds, and come within a 50th of the width to either bound.
    private func fills(_ milliseconds: ClosedRange<Int64>, _ draw: (inout SeededRandom) -> Interval) -> Bool {
        var random = SeededRandom(seed: 5)
        let drawn = (0..<400).map { _ in draw(&random) }.sorted()
        let (least, most) = (
            Interval.milliseconds(milliseconds.lowerBound), Interval.milliseconds(milliseconds.upperBound)
        )
        let margin = (most - least) / 50
        return least <= drawn[0] && drawn[0] <= least + margin && most - margin <= drawn[399] && drawn[399] <= most
    }

    @Test(
        "a failed attempt waits between half and all of a time that doubles",
        arguments: [(1, 500), (2, 1_000), (3, 2_000), (4, 4_000), (6, 16_000), (7, 30_000), (40, 30_000)]
            as [(Int, Int64)])
    func backoff(failures: Int, full: Int64) {
        #expect(
            fills(full / 2...full) { Backoff.wait(afterFailures: failures, max: .seconds(30), random: &$0) })
    }

    @Test("a failure is followed by the wait that belongs to the number of failures")
    func fifth() {
        let isFilled = fills(4_000...8_000) { random in
            var backoff = Backoff()
            for _ in 0..<4 { _ = backoff.fail(now: after(70), random: &random) }
            return backoff.fail(now: after(70), random: &random) - after(70)
        }
        #expect(isFilled)
    }

    @Test("a wait may be cut two seconds after the last cut")
    func nextCut() {
        var backoff = Backoff()
        #expect(backoff.nextCut(now: after(500)) == after(500))
        let isCut = backoff.cut(now: after(500))
        #expect(isCut)
        #expect(backoff.nextCut(now: after(1_000)) == after(2_500))
        #expect(backoff.nextCut(now: after(3_000)) == after(3_000))
    }

    @Test(
        "searches for a direct path wait between half and all of a time that doubles from 2 s to 15 s",
        arguments: [(0, 2_000), (1, 4_000), (2, 8_000), (3, 15_000), (4, 15_000), (9, 15_000)] as [(Int, Int64)])
    func directSearch(before: Int, full: Int64) {
        var search = DirectSearch()
        #expect(!search.isUnderWay)
        var random = SeededRandom(seed: 1)
        for _ in 0..<before {
            _ = search.nextWait(random: &random)
            #expect(search.isUnderWay)
        }
        #expect(
            fills(full / 2...full) {
                var next = search
                return next.nextWait(random: &$0)
            })
    }

    @Test("without a neighbour, a connect request is due at once, every two seconds, and after fifteen every thirty")
    func connectRequests() {
        var connectRequests = ConnectRequestSchedule()
        #expect(connectRequests.nextAt == .distantFuture && connectRequests.count == 0)
        connectRequests.begin(now: after(100))
        connectRequests.begin(now: after(200))
        #expect(connectRequests.nextAt == after(100))
        for number in 1...16 {
            connectRequests.requestSent(neighbours: 0, now: after(300))
            #expect(connectRequests.count == number)
            #expect(connectRequests.nextAt == after(number < 15 ? 2_300 : 30_300))
        }
        connectRequests.end()
        #expect(connectRequests.nextAt == .distantFuture && connectRequests.count == 0)
    }

    @Test("the wait after a connect request that a neighbour brings doubles from two seconds to thirty")
    func broughtConnectRequests() {
        var connectRequests = ConnectRequestSchedule()
        connectRequests.begin(now: after(0))
        let rows: [(isBrought: Bool, wait: Int64)] = [
            (false, 2_000), (true, 2_000), (true, 4_000), (false, 4_000), (true, 8_000), (true, 16_000), (true, 30_000),
            (true, 30_000),
        ]
        for row in rows {
            connectRequests.requestSent(neighbours: row.isBrought ? 1 : 0, now: after(300))
            #expect(connectRequests.nextAt == after(300 + row.wait))
        }
        connectRequests.end()
        connectRequests.begin(now: after(400))
        connectRequests.requestSent(neighbours: 1, now: after(400))
        #expect(connectRequests.nextAt == after(2_400))
    }

    @Test("the wait for a connect request starts again from two seconds if the leader has more neighbours than before")
    func moreNeighbours() {
        var connectRequests = ConnectRequestSchedule()
        let isEarlierBefore = connectRequests.neighboursFound(3, now: after(0))
        #expect(!isEarlierBefore && connectRequests.nextAt == .distantFuture)
        connectRequests.begin(now: after(0))
        for _ in 0..<6 { connectRequests.requestSent(neighbours: 2, now: after(0)) }
        #expect(connectRequests.nextAt == after(30_000))
        // One that hides its link and shows it again changes nothing.
        for (neighbours, isEarlier) in [(1, false), (2, false), (3, true), (3, false)] {
            let isChange = connectRequests.neighboursFound(neighbours, now: after(100))
            #expect(isChange == isEarlier)
        }
        #expect(connectRequests.nextAt == after(2_100))
        for (neighbours, wait) in [(3, 2_000), (3, 4_000), (2, 8_000), (3, 16_000)] as [(Int, Int64)] {
            connectRequests.requestSent(neighbours: neighbours, now: after(2_100))
            #expect(connectRequests.nextAt == after(2_100 + wait))
        }
        // Nor does one that hides its link before the next request.
        let isEarlierWithFour = connectRequests.neighboursFound(4, now: after(2_100))
        #expect(isEarlierWithFour)
        for _ in 0..<6 { connectRequests.requestSent(neighbours: 3, now: after(4_100)) }
        let isEarlierAgain = connectRequests.neighboursFound(4, now: after(4_100))
        #expect(!isEarlierAgain && connectRequests.nextAt == after(34_100))
    }

    @Test("a connect request counts if its instance or its number is higher than any before")
    func newConnectRequests() throws {
        let (first, second) = try (#require(Instance(exactly: 1)), #require(Instance(exactly: 2)))
        var connectRequests = ConnectRequestSchedule()
        let heard: [(Instance, UInt32, Bool)] = [
            (first, 5, true), (first, 5, false), (first, 4, false), (first, 6, true), (first, 6, false),
            (second, 1, true), (first, 9, false), (second, 1, false), (second, 2, true),
        ]
        for (instance, sequence, isNew) in heard {
            let isTaken = connectRequests.isNew(instance: instance, sequence: sequence)
            #expect(isTaken == isNew, "\(instance) \(sequence)")
        }
    }

    // MARK: The beacon

    @Test(
        "the first beacons leave after 100 ms, then 250 to 450 ms and 300 to 500 ms, and the others after 9.5 to 10 s")
    func beaconTimes() {
        for (place, bounds) in [0...100, 250...450, 300...500, 9_500...10_000, 9_500...10_000].enumerated() {
            let isFilled = fills(Int64(bounds.lowerBound)...Int64(bounds.upperBound)) { random in
                var beacon = BeaconSchedule(isEnabled: true, now: .zero, random: &random)
                var before = Instant.zero
                for _ in 0..<place {
                    before = beacon.nextAt
                    _ = beacon.expire(isQuiet: false, isCliqueComplete: false, now: before, random: &random)
                }
                return beacon.nextAt - before
            }
            #expect(isFilled, "\(place)")
        }
    }

    /// At each time: whether another node is the announcer, whether the clique is complete, whether the beacon leaves.
    @Test("three beacons always leave; in a complete clique only the announcer sends more, 27 s after the last one")
    func beaconsOfCliques() {
        let course: [(at: Int64, isQuiet: Bool, isComplete: Bool, leaves: Bool)] = [
            (0, true, false, true), (400, false, true, true), (800, true, false, true),
            (10_000, true, false, false), (20_000, true, true, false), (20_100, false, false, true),
            (30_000, false, true, false), (30_100, false, false, true), (57_099, false, true, false),
            (57_100, false, true, true), (84_099, false, true, false), (84_100, true, false, false),
            (84_200, false, true, true),
        ]
        var random = SeededRandom(seed: 1)
        var beacon = BeaconSchedule(isEnabled: true, now: .zero, random: &random)
        for (at, isQuiet, isComplete, leaves) in course {
            let isSent = beacon.expire(isQuiet: isQuiet, isCliqueComplete: isComplete, now: after(at), random: &random)
            #expect(isSent == leaves, "\(at) ms")
        }
    }

    @Test("new addresses start the beacon as at a start, unless the beacon is disabled")
    func beaconsAgain() {
        var random = SeededRandom(seed: 1)
        var off = BeaconSchedule(isEnabled: false, now: .zero, random: &random)
        off.restart(now: .zero, random: &random)
        #expect(off.nextAt == .distantFuture)
        var beacon = BeaconSchedule(isEnabled: true, now: .zero, random: &random)
        for _ in 0..<4 { _ = beacon.expire(isQuiet: true, isCliqueComplete: false, now: .zero, random: &random) }
        beacon.restart(now: after(5_000), random: &random)
        #expect(after(5_000) <= beacon.nextAt && beacon.nextAt <= after(5_100))
        var left: [Bool] = []
        for _ in 0..<4 {
            left.append(beacon.expire(isQuiet: true, isCliqueComplete: false, now: after(6_000), random: &random))
        }
        #expect(left == [true, true, true, false])
    }

    // MARK: Checks of beacons

    private func address(_ number: Int) -> IPAddress { IPAddress(v4: 10, 0, UInt8(number / 256), UInt8(number % 256)) }

    /// The number of checks that a source gets out of 20.
    private func taken(_ checks: inout BeaconChecks, by source: Int, at now: Instant) -> Int {
        (0..<20).count { _ in checks.take(address(source), now: now) }
    }

    @Test("all sources together have 64 checks at once, and then one more every 5 ms")
    func checksOfAll() {
        var checks = BeaconChecks(now: .zero)
        let all = (0..<80).count { checks.take(address($0), now: .zero) }
        #expect(all == 64)
        let isEarly = checks.take(address(100), now: after(5) - Interval(nanoseconds: 1))
        let isTaken = checks.take(address(101), now: after(5))
        #expect(!isEarly && isTaken)
    }

    @Test("64 sources are remembered, and the longest unused one makes room")
    func sources() {
        var checks = BeaconChecks(now: .zero)
        #expect(taken(&checks, by: 0, at: .zero) == 16)
        #expect(taken(&checks, by: 1, at: after(1_000)) == 16)
        for source in 2..<64 { _ = checks.take(address(source), now: after(2_000 + Int64(source) * 5)) }
        #expect(taken(&checks, by: 0, at: after(4_000)) == 4)
        // The new source replaces the second one, which then comes back as new, and not the first one.
        #expect(taken(&checks, by: 64, at: after(4_000)) == 16)
        #expect(taken(&checks, by: 0, at: after(4_000)) == 0)
        #expect(taken(&checks, by: 1, at: after(4_000)) == 16)
        #expect(taken(&checks, by: 1, at: after(5_000)) == 1)
    }
}
