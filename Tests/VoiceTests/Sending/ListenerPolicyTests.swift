import Primitives
import Testing
import Voice
import Wire

@Suite("a listener's scheme, from its reports")
struct ListenerPolicyTests {
    private let start = Instant(nanoseconds: 3_600_000_000_000)

    private func report(_ permille: UInt16, run tenths: UInt16 = 10) -> ReceptionReport {
        ReceptionReport(lossPermille: permille, lossRunTenths: tenths, latePermille: 0, jitterTargetSamples: 96)
    }

    /// The choice after `count` equal reports, two a second.
    private func choice(
        _ permille: UInt16, run tenths: UInt16 = 10, reports count: Int64 = 8, frame: FrameDuration = .ms5,
        listeners: Int = 1
    ) -> ListenerChoice {
        var policy = ListenerPolicy()
        for number in 0..<count { policy.add(report(permille, run: tenths), now: start + .milliseconds(500 * number)) }
        return policy.choice(
            frame: frame, frameBytes: 60, listeners: listeners, now: start + .milliseconds(500 * count))
    }

    @Test("a listener without a report gets one copy of the previous packet")
    func initial() {
        let choice = ListenerPolicy().choice(frame: .ms5, frameBytes: 60, listeners: 1, now: start)
        #expect(choice == .initial)
        #expect(choice.description == "no report yet, 1 copy 1 packet later")
    }

    @Test(
        "more single losses give more copies, each at the next distance",
        arguments: [
            (0, .ms5, [1]), (10, .ms5, [1]), (30, .ms5, [1]), (50, .ms5, [1, 2]), (100, .ms5, [1, 2]),
            (200, .ms5, [1, 2, 3]), (330, .ms5, [1, 2, 3, 4]), (100, .ms2_5, [1, 2, 3]), (200, .ms2_5, [1, 2, 3, 4]),
            (20, .ms10, [1]), (100, .ms10, [1, 2]), (50, .ms20, [1]), (200, .ms20, [1, 2]),
        ] as [(UInt16, FrameDuration, [Int])])
    func singles(permille: UInt16, frame: FrameDuration, copies: [Int]) {
        // The mean run of losses without memory.
        let run = UInt16(10_000 / (1_000 - Int(permille)))
        let choice = choice(permille, run: run, frame: frame)
        #expect(choice.scheme.copyDistances == copies)
    }

    @Test(
        "against bursts copies are spread as far as 45 ms",
        arguments: [(200, 40, .ms5), (100, 60, .ms5), (200, 80, .ms2_5), (100, 30, .ms10), (100, 20, .ms20)]
            as [(UInt16, UInt16, FrameDuration)])
    func bursts(permille: UInt16, run: UInt16, frame: FrameDuration) throws {
        let copies = choice(permille, run: run, frame: frame).scheme.copyDistances
        let farthest = try #require(copies.last)
        #expect(farthest == max(2, 2_160 / frame.samples))
        #expect(2 <= copies.count && copies != Array(1...copies.count) || FrameDuration.ms10.samples <= frame.samples)
    }

    @Test("a short burst is not worth 45 ms")
    func shortBursts() throws {
        let farthest = try #require(choice(40, run: 20).scheme.copyDistances.last)
        #expect((2...5).contains(farthest))
    }

    @Test("two adjacent losses in two seconds are no burst")
    func pair() {
        let choice = choice(5, run: 20, reports: 1)
        #expect(choice.scheme == .initial)
        #expect(choice.cause == .singles(lossPermille: 5))
    }

    @Test("a remembered loss fades over five minutes, and a greater one counts at once")
    func memory() {
        var policy = ListenerPolicy()
        func copies(after interval: Interval) -> [Int] {
            policy.choice(frame: .ms5, frameBytes: 60, listeners: 1, now: start + interval).scheme.copyDistances
        }
        policy.add(report(150, run: 11), now: start)
        for second in Int64(1)...20 { policy.add(report(0, run: 0), now: start + .seconds(second)) }
        #expect(copies(after: .seconds(60)) == [1, 2])
        #expect(copies(after: .seconds(299)) == [1])
        #expect(policy.choice(frame: .ms5, frameBytes: 60, listeners: 1, now: start + .seconds(301)).cause == .clean)
        policy.add(report(120, run: 11), now: start + .seconds(302))
        #expect(copies(after: .seconds(302)) == [1, 2])
    }

    @Test(
        "for many listeners several frames share a packet",
        arguments: [
            (FrameDuration.ms5, 40, VoiceBundling.single), (.ms5, 41, .pair), (.ms2_5, 20, .single),
            (.ms2_5, 21, .pair), (.ms2_5, 63, .four), (.ms20, 63, .single),
        ])
    func crowds(frame: FrameDuration, listeners: Int, bundling: VoiceBundling) {
        let choice = choice(0, frame: frame, listeners: listeners)
        #expect(choice.scheme.bundling == bundling)
        #expect(choice.scheme.copyDistances == (bundling == .four ? [] : [1]))
    }

    @Test(
        "copies that do not fit into a packet are not chosen",
        arguments: [(269, 3), (270, 2), (300, 2), (512, 1), (600, 0)])
    func bytes(frameBytes: Int, copies: Int) {
        var policy = ListenerPolicy()
        policy.add(report(400, run: 60), now: start)
        let choice = policy.choice(frame: .ms5, frameBytes: frameBytes, listeners: 1, now: start)
        #expect(choice.scheme.copyDistances.count == copies)
    }

    @Test(
        "the reason is readable",
        arguments: [
            (0, 0, "no loss, 1 copy 1 packet later"), (70, 10, "prepared for 7 % loss, 2 copies 1,2 packets later"),
            (4, 10, "prepared for 0.4 % loss, 1 copy 1 packet later"),
        ] as [(UInt16, UInt16, String)])
    func reasons(permille: UInt16, run: UInt16, text: String) {
        #expect(choice(permille, run: run, reports: 1).description == text)
        #expect(
            choice(200, run: 40, reports: 40).description.hasPrefix(
                "prepared for 20 % loss in runs of 4.0, 4 copies "))
        #expect(choice(0, listeners: 50).description == "no loss, 1 copy 1 packet later, 2 frames a packet")
    }

    @Test("no report can lead to more than a packet holds", arguments: FrameDuration.allCases)
    func bounds(frame: FrameDuration) {
        var random = SeededRandom(seed: 11)
        var policy = ListenerPolicy()
        for number in Int64(0)..<2_000 {
            let report = ReceptionReport(
                lossPermille: UInt16(random.below(65_536)), lossRunTenths: UInt16(random.below(65_536)),
                latePermille: UInt16(random.below(65_536)), jitterTargetSamples: UInt16(random.below(65_536)))
            policy.add(report, now: start + .milliseconds(500 * number))
            let choice = policy.choice(
                frame: frame, frameBytes: 60, listeners: Int(random.below(64)), now: start + .milliseconds(500 * number)
            )
            let scheme = choice.scheme
            #expect((scheme.copyDistances.count + 1) * scheme.bundling.frameCount <= WireLimits.voiceBlocksMax)
            #expect(scheme.copyDistances == scheme.copyDistances.sorted())
            #expect((scheme.copyDistances.last ?? 0) * frame.samples * scheme.bundling.frameCount <= 60 * 48)
        }
    }
}
