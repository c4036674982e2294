import Glibc
import Primitives
import Testing
import Voice

/// Tones in windows of 20 ms, each with its own power, as the howl guard sees them.
private struct Windows {
    private var phase = 0.0
    private var random = SeededRandom(seed: 3)

    mutating func tone(power: Double, hertz: Double = 1_000, noise: Double = 0) -> [Float] {
        (0..<960).map { _ in
            phase += 2 * .pi * hertz / 48_000
            return Float((2 * power).squareRoot() * sin(phase) + (3 * power * noise).squareRoot() * random.swing())
        }
    }
}

@Suite("howls, window by window")
struct HowlWindowTests {
    private func give(_ samples: [Float], _ guarding: inout HowlGuard) {
        var samples = samples
        samples.withUnsafeMutableBufferPointer { if let base = $0.baseAddress { guarding.process(base, count: 960) } }
    }

    /// The number of windows before each howl.
    private func howls(_ windows: [(power: Double, hertz: Double)], noise: Double = 0, after: [Float] = []) -> [Int] {
        var (guarding, made, found) = (HowlGuard(), Windows(), [Int]())
        if !after.isEmpty { give(after, &guarding) }
        let before = guarding.howls
        for (number, window) in windows.enumerated() {
            give(made.tone(power: window.power, hertz: window.hertz, noise: noise), &guarding)
            while found.count < Int(guarding.howls - before) { found.append(number + 1) }
        }
        return found
    }

    private func powers(_ steps: [Double], from start: Double = 1e-3) -> [(power: Double, hertz: Double)] {
        var power = start
        return [(power, 1_000)]
            + steps.map { step in
                power *= step
                return (power, 1_000)
            }
    }

    /// The power of the first window, and the factor of each further window.
    @Test(
        "a tone that rises four times, and by 6 dB in all, is a howl",
        arguments: [
            ([1.7, 1.7, 1.7, 1.7], [5]), ([1.7, 1.7, 1.7], []), ([1.45, 1.45, 1.45, 1.45], [5]),
            // 5.6 dB after four rises, and 7 dB after five.
            ([1.38, 1.38, 1.38, 1.38, 1.38], [6]), ([1.38, 1.38, 1.38, 1.38], []),
            // 0.25 dB in a window is no rise, and 0.33 dB is one. 6 dB are reached with the 19th.
            (Array(repeating: 1.06, count: 30), []), (Array(repeating: 1.08, count: 20), [20]),
            // One great step is no howl, and neither are four small ones.
            ([10, 1, 1, 1, 1, 1, 1], []), ([1.2, 1.2, 1.2, 1.2, 1, 1, 1], []),
            // A fall by 0.7 dB is ignored. After a fall by 1.5 dB the count restarts.
            ([1.7, 1.7, 1.7, 0.85, 1.7], [6]), ([1.45, 1.45, 1.45, 0.7, 1.7, 1.7, 1.7, 1.7], [9]),
            ([1.45, 1.45, 1.45, 0.7, 1.7, 1.7, 1.7], []),
            // After a howl the next one counts from its own beginning.
            (Array(repeating: 1.45, count: 9), [5, 10]),
        ] as [([Double], [Int])])
    func rising(steps: [Double], expected: [Int]) { #expect(howls(powers(steps)) == expected) }

    @Test("a tone of -6.8 dBFS is a howl after every ten windows, and one of -7.2 dBFS is not")
    func nearFullScale() {
        #expect(howls(powers(Array(repeating: 1, count: 29), from: 0.21)) == [10, 20, 30])
        #expect(howls(powers(Array(repeating: 1, count: 29), from: 0.19)).isEmpty)
    }

    @Test(
        "a tone whose frequency jumps by 2 % continues, and one that jumps further starts again",
        arguments: [(1_010, 5), (1_022, 5), (1_024, 8)] as [(Double, Int)])
    func jump(hertz: Double, expected: Int) {
        let windows = powers(Array(repeating: 1.45, count: 7)).enumerated().map { number, window in
            (window.power, number < 3 ? 1_000 : hertz)
        }
        #expect(howls(windows) == [expected])
    }

    @Test("a tone 15 dB above noise may howl; one 8 dB above it or below -46 dBFS does not")
    func tonality() {
        let rising = Array(repeating: 1.7, count: 8)
        #expect(howls(powers(rising), noise: 0.03).first == 5)
        #expect(howls(powers(rising), noise: 0.16).isEmpty)
        #expect(howls(powers(rising, from: 3e-7)).isEmpty)
    }

    @Test("NaN is forgotten with its window", arguments: [Float.nan, -.nan, .infinity])
    func notANumber(sample: Float) {
        let broken = [Float](repeating: 0, count: 900) + [Float](repeating: sample, count: 60)
        #expect(howls(powers([1.7, 1.7, 1.7, 1.7]), after: broken) == [5])
    }

    /// A guard that has just counted its first howl (or its second), at the end of a window.
    private func howled(times: Int = 1) -> HowlGuard {
        var (guarding, made) = (HowlGuard(), Windows())
        #expect(guarding.gain == 1 && guarding.howls == 0 && !guarding.isActive)
        for _ in 0..<times * 10 { give(made.tone(power: 0.21), &guarding) }
        #expect(guarding.howls == UInt64(times))
        return guarding
    }

    @Test("a howl is lowered by 12 dB within 180 samples, linearly")
    func turnsDown() {
        var guarding = howled()
        #expect(abs(guarding.gain - (1 - 1.0 / 240)) < 1e-6 && !guarding.isActive)
        var samples = [Float](repeating: 0.5, count: 960)
        samples.work(count: 99) { guarding.process($0, count: $1) }
        #expect(abs(guarding.gain - (1 - 100.0 / 240)) < 1e-5 && guarding.isActive)
        #expect(abs(samples[98] - 0.5 * (1 - 100.0 / 240)) < 1e-5)
        samples.work(from: 99, count: 861) { guarding.process($0, count: $1) }
        #expect(guarding.gain == 0.25 && samples[500] == 0.125)
    }

    @Test("two seconds after the last tone the gain rises, by at most 5 % of full scale in 10 ms")
    func comesBack() {
        var guarding = howled(times: 2)
        let silence = [Float](repeating: 0, count: 960)
        for _ in 0..<99 { give(silence, &guarding) }
        #expect(guarding.gain == 0.062_5, "12 dB for each of two howls")
        give(silence, &guarding)
        #expect(abs(guarding.gain - (0.062_5 + 1.0 / 9_600)) < 1e-8)
        var few = silence
        few.work(count: 3) { guarding.process($0, count: $1) }
        #expect(abs(guarding.gain - (0.062_5 + 4.0 / 9_600)) < 1e-8)
    }

    @Test("a tone in between restarts the two seconds, even if it is no howl")
    func toneInBetween() {
        var (guarding, made) = (howled(), Windows())
        let silence = [Float](repeating: 0, count: 960)
        for number in 0..<160 { give(number == 60 ? made.tone(power: 0.01) : silence, &guarding) }
        #expect(guarding.gain == 0.25 && guarding.howls == 1)
        give(silence, &guarding)
        #expect(0.25 < guarding.gain)
    }

    @Test("noise is no tone: after eight seconds 2.2 dB are missing, and after half a minute none")
    func fullRecovery() {
        var guarding = howled()
        var (random, noise) = (SeededRandom(seed: 9), [Float]())
        noise = (0..<960).map { _ in Float(0.05 * random.swing()) }
        for _ in 0..<400 { give(noise, &guarding) }
        // 0.708 after the howl, and 0.1 dB a second.
        #expect(abs(guarding.gain - 0.776) < 0.003 && guarding.isActive)
        for _ in 400..<1_560 { give(noise, &guarding) }
        var samples = noise
        samples.work { guarding.process($0, count: $1) }
        #expect(guarding.gain == 1 && !guarding.isActive && samples == noise)
    }
}
