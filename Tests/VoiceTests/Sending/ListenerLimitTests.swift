import Primitives
import Testing
import Voice
import Wire

@Suite("limits of a listener's scheme")
struct ListenerLimitTests {
    private let start = Instant(nanoseconds: 3_600_000_000_000)

    private func report(_ permille: UInt16, run tenths: UInt16 = 10) -> ReceptionReport {
        ReceptionReport(lossPermille: permille, lossRunTenths: tenths, latePermille: 0, jitterTargetSamples: 96)
    }

    private func policy(_ permille: UInt16, run tenths: UInt16 = 10, reports count: Int = 8) -> ListenerPolicy {
        var policy = ListenerPolicy()
        for _ in 0..<count { policy.add(report(permille, run: tenths), now: start) }
        return policy
    }

    private func choice(
        _ policy: ListenerPolicy, frame: FrameDuration = .ms5, listeners: Int = 1, after interval: Interval = .zero
    ) -> ListenerChoice {
        policy.choice(frame: frame, frameBytes: 60, listeners: listeners, now: start + interval)
    }

    @Test("a listener without a report counts as without loss, from the first instant of the clock on")
    func unheard() {
        #expect(ListenerPolicy().choice(frame: .ms5, frameBytes: 60, listeners: 1, now: .zero) == .initial)
    }

    /// From the costs of all sets of at most four distances (decision 016), in double precision. Of sets with equal
    /// cost, the first in the order of distances.
    @Test(
        "the copies are those with the least cost",
        arguments: [
            (45, 10, .ms5, [1]), (46, 10, .ms5, [1, 2]), (132, 11, .ms5, [1, 2]), (133, 11, .ms5, [1, 2, 3]),
            (400, 16, .ms20, [1, 2, 3]), (40, 20, .ms5, [2, 4]), (59, 30, .ms5, [2, 4, 6]),
            (100, 60, .ms5, [3, 6, 9]), (200, 40, .ms5, [2, 4, 6, 9]), (200, 60, .ms20, [1, 2]),
            (200, 100, .ms1_25, [4, 8, 13, 18]),
        ] as [(UInt16, UInt16, FrameDuration, [Int])])
    func cheapest(permille: UInt16, run: UInt16, frame: FrameDuration, copies: [Int]) {
        #expect(choice(policy(permille, run: run), frame: frame).scheme.copyDistances == copies)
    }

    @Test("against a burst a copy may be two packets back, however long a packet is")
    func longPackets() {
        let scheme = choice(policy(200, run: 60), frame: .ms20, listeners: 200).scheme
        #expect(scheme.bundling == .pair && scheme.copyDistances == [2])
    }

    @Test("four frames share a packet if pairs are not enough")
    func manyPackets() {
        #expect(choice(policy(0), frame: .ms1_25, listeners: 63).scheme.bundling == .four)
    }

    @Test(
        "a mean run is a burst if it is above 1.5 packets and above its random value",
        arguments: [
            (10, 13, 8, .singles(lossPermille: 10)), (10, 16, 60, .runs(lossPermille: 10, runTenths: 16)),
            (500, 20, 8, .singles(lossPermille: 500)), (1, 100, 60, .runs(lossPermille: 1, runTenths: 91)),
            // Before the first report five single losses count as seen.
            (4, 60, 5, .runs(lossPermille: 4, runTenths: 22)), (8, 60, 3, .runs(lossPermille: 8, runTenths: 24)),
            // At most all packets can be lost.
            (65_535, 10, 1, .singles(lossPermille: 1_000)), (0, 0, 1, .clean),
        ] as [(UInt16, UInt16, Int, ListenerChoice.Cause)])
    func causes(permille: UInt16, run: UInt16, count: Int, cause: ListenerChoice.Cause) {
        #expect(choice(policy(permille, run: run, reports: count)).cause == cause)
    }

    @Test("no run is shorter than a packet, whatever a listener reports", arguments: [0, 9, 10] as [UInt16])
    func shortRuns(tenths: UInt16) {
        var policy = ListenerPolicy()
        for _ in 0..<30 {
            policy.add(report(100, run: tenths), now: start)
            policy.add(report(100, run: 60), now: start)
        }
        #expect(choice(policy).cause == .runs(lossPermille: 100, runTenths: 18))
    }

    @Test("reports without loss do not affect runs: a first pair of losses after them is no burst")
    func cleanReports() {
        var policy = policy(0, run: 0, reports: 100)
        policy.add(report(5, run: 20), now: start)
        #expect(choice(policy).cause == .singles(lossPermille: 5))
    }

    @Test("a loss that equals the remembered one renews it for five minutes")
    func sameAgain() {
        var policy = policy(200)
        policy.add(report(100), now: start + .seconds(150))
        #expect(choice(policy, after: .seconds(300)).cause == .singles(lossPermille: 50))
    }

    @Test("a reason shows tenths of a percent below 1 %", arguments: [(9, "0.9 %"), (10, "1 %"), (15, "2 %")])
    func percents(permille: Int, text: String) {
        let choice = ListenerChoice(scheme: .initial, cause: .singles(lossPermille: permille))
        #expect(choice.description == "prepared for \(text) loss, 1 copy 1 packet later")
    }
}

@Suite("numbers of a loss model")
struct LossModelNumberTests {
    /// Gilbert, 1960: `share + (1 - share) · persistence^d`, where the probability to leave the lossy state is 1 / run.
    @Test(
        "the probability that a later packet is lost too",
        arguments: [
            (0.1, 1.5, [1, 1.0 / 3, 0.160494, 0.115684]), (0.2, 4, [1, 0.75, 0.578125, 0.459961]),
            (0.2, 1, [1, 0.2, 0.2]), (0.3, 0, [1, 0.3, 0.3]), (0, 0, [1, 0]), (0.5, 100, [1, 0.99]),
        ] as [(Float, Float, [Float])])
    func repeats(share: Float, run: Float, expected: [Float]) {
        let chances = LossModel(share: share, meanRun: run).repeats(upTo: expected.count - 1)
        #expect(chances.count == expected.count)
        for (chance, expected) in zip(chances, expected) { #expect(abs(chance - expected) < 2e-6) }
    }

    @Test(
        "a share is limited to 0 … 0.9",
        arguments: [(-1, 0), (0, 0), (0.3, 0.3), (0.9, 0.9), (1, 0.9)] as [(Float, Float)])
    func share(given: Float, taken: Float) {
        #expect(LossModel(share: given, meanRun: 1).share == taken)
    }
}
