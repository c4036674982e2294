import Primitives
import Testing
import Voice

/// The same clock, to the nanosecond: 3 samples are 62,500 ns, and a period of 240 samples is 5 ms.
@Suite("the clock of a sound card, exactly")
struct CardLineTests {
    private static let start: Int64 = 9_000_000_000_000

    private static func at(_ nanoseconds: Int64) -> Instant { Instant(nanoseconds: start + nanoseconds) }

    /// A clock whose sample 0 passes at the start.
    private func clock(periods count: Int64 = 0) -> CardClock {
        var clock = CardClock()
        for period in 0...count { _ = clock.update(sampleCount: 240 * period, at: Self.at(5_000_000 * period)) }
        return clock
    }

    @Test(
        "a sample passes at the first whole nanosecond within it, also before the start",
        arguments: [
            (0, 0), (1, 20_834), (2, 41_667), (3, 62_500), (4, 83_334), (-1, -20_833), (-2, -41_666), (-3, -62_500),
            (-4, -83_333), (48_000, 1_000_000_000), (48_001, 1_000_020_834),
        ] as [(Int64, Int64)])
    func grid(position: Int64, nanoseconds: Int64) {
        let clock = clock()
        #expect(clock.instant(of: position) == Self.at(nanoseconds))
        #expect(clock.position(of: Self.at(nanoseconds)) == position)
        #expect(clock.position(of: Self.at(nanoseconds - 1)) == position - 1)
    }

    @Test("a sample time is the position in 32 bits")
    func sampleTime() {
        #expect(CardClock().sampleCount == 0)
        let clock = clock()
        #expect(clock.sampleTime(at: Self.at(62_500)) == SampleTime(samples: 3))
        #expect(clock.sampleTime(at: Self.at(-1)) == SampleTime(samples: .max))
    }

    @Test("the clock moves up by a 2,000th of the time since the last update")
    func creeping() {
        var clock = clock(periods: 4)
        // The sixth period is 1 ms late, and so is the seventh: the clock moves by 3 µs and by 2.5 µs.
        #expect(clock.update(sampleCount: 1_200, at: Self.at(26_000_000)) == 0)
        #expect(clock.instant(of: 0) == Self.at(3_000))
        #expect(clock.update(sampleCount: 1_440, at: Self.at(31_000_000)) == 0)
        #expect(clock.instant(of: 0) == Self.at(5_500))
        // A repeated update does not move the clock, and one with an earlier instant does not either.
        #expect(clock.update(sampleCount: 1_440, at: Self.at(31_000_000)) == 0)
        #expect(clock.update(sampleCount: 1_440, at: Self.at(30_500_000)) == 0)
        #expect(clock.instant(of: 0) == Self.at(5_500) && clock.sampleCount == 1_440)
        // Earlier again by 500 µs, and 5 ms later: the movement counts from the latest update.
        #expect(clock.update(sampleCount: 1_680, at: Self.at(35_500_000)) == 0)
        #expect(clock.instant(of: 0) == Self.at(8_000))
    }

    @Test("an early update moves the clock to it at once")
    func early() {
        var clock = clock(periods: 4)
        #expect(clock.update(sampleCount: 1_200, at: Self.at(23_500_000)) == 0)
        #expect(clock.instant(of: 0) == Self.at(-1_500_000) && clock.position(of: Self.at(23_500_000)) == 1_200)
    }

    @Test(
        "more than 2 ms early is a step, and more than 50 ms late a stall: positions jump by the difference",
        arguments: [
            // The clock would have moved by 1.5 µs and by 27.5 µs.
            (-1_998_500, 0, -1_998_500), (-1_998_501, 95, -1_998_501), (-2_500_000, 120, -2_500_000),
            (50_027_513, 0, 27_513), (50_027_514, -2_402, 50_027_514), (100_000_000, -4_800, 100_000_000),
        ] as [(Int64, Int64, Int64)])
    func jumps(late: Int64, jump: Int64, origin: Int64) {
        var clock = clock(periods: 4)
        #expect(clock.update(sampleCount: 1_200, at: Self.at(25_000_000 + late)) == jump)
        #expect(clock.instant(of: 0) == Self.at(origin))
    }
}
