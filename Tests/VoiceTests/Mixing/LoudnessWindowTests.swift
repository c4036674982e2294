import Testing
import Voice

@Suite("the measurement of a talker's loudness")
struct LoudnessWindowTests {
    /// Before the first word: sound counts only beside something quieter.
    private func quiet() -> LoudnessMatch {
        var match = LoudnessMatch()
        match.measure(power: 0, count: 4_800)
        return match
    }

    /// The gain after windows of these powers, with a silent one before every 20 of them, and after silence until it
    /// has settled.
    private func gain(_ powers: [Float]) -> Float {
        var match = quiet()
        for (index, power) in powers.enumerated() {
            if index % 20 == 19 { match.measure(power: 0, count: 4_800) }
            match.measure(power: power, count: 4_800)
        }
        for _ in 0..<80 { match.measure(power: 0, count: 4_800) }
        return match.gain
    }

    @Test("after 0.3 s of speech, in windows of 4,800 samples, the gain begins to change")
    func begin() {
        var match = quiet()
        for count in [4_799, 1, 4_799, 1, 4_799] {
            match.measure(power: 1e-3, count: count)
            #expect(match.gain == 1)
        }
        match.measure(power: 1e-3, count: 1)
        #expect(1 < match.gain)
    }

    @Test("the gain changes by 3 dB a second: 0.3 dB, or 3.45 %, in a window")
    func slew() {
        var match = quiet()
        for expected: Float in [1, 1, 1.034536, 1.070265, 1.107228] {
            match.measure(power: 1e-3, count: 4_800)
            #expect(abs(match.gain - expected) < 1e-5)
        }
    }

    /// -23 dBFS is a power of 5.01e-3.
    @Test(
        "the mean power of a talker is matched to -23 dBFS, within 12 dB",
        arguments: [
            ([1e-3, 1e-3, 1e-3], 2.23830), ([1e-3, 2e-3, 3e-3], 1.58272), ([3e-3, 2e-3, 1e-3], 1.58272),
            ([4e-3, 4e-3], 1), ([1, 1, 1], 0.251193), ([1e-4, 1e-4, 1e-4], 3.981),
        ] as [([Float], Float)])
    func mean(powers: [Float], expected: Float) { #expect(abs(gain(powers) - expected) < 1e-4) }

    @Test("a window of -50 dBFS does not count as sound, and a louder one does")
    func gate() {
        #expect(gain([1e-5, 1e-5, 1e-5]) == 1)
        #expect(abs(gain([1.01e-5, 1.01e-5, 1.01e-5]) - 3.981) < 1e-4)
    }

    @Test("a window counts only if it is 6 dB above the quietest one of the last 3 s")
    func noise() {
        for (noise, counts) in [(1e-4, true), (3.9e-4, false)] as [(Float, Bool)] {
            var match = LoudnessMatch()
            match.measure(power: noise, count: 4_800)
            for _ in 0..<3 { match.measure(power: 1.5e-3, count: 4_800) }
            #expect((match.gain != 1) == counts)
        }
        // The quietest window is forgotten after 6 s.
        var match = quiet()
        for _ in 0..<60 { match.measure(power: 1e-5, count: 4_800) }
        for _ in 0..<3 { match.measure(power: 3.9e-5, count: 4_800) }
        #expect(match.gain == 1)
        match.measure(power: 1e-3, count: 4_800)
        #expect(match.gain == 1)
        for _ in 0..<2 { match.measure(power: 1e-3, count: 4_800) }
        #expect(1 < match.gain)
    }

    @Test("after 3 s each new window has a weight of a 30th")
    func long() {
        // 1e-3 + 3e-3 · (29/30)^20 = 2.5229e-3
        let powers = [Float](repeating: 4e-3, count: 40) + [Float](repeating: 1e-3, count: 20)
        #expect(abs(gain(powers) - 1.40920) < 2e-4)
    }

    @Test("a window more than 10 dB below the mean is a pause, and has a fifth of that weight")
    func pauses() {
        // 1e-4 + 4.9e-3 · (149/150)^30 = 4.1091e-3
        let powers = [Float](repeating: 5e-3, count: 30) + [Float](repeating: 1e-4, count: 30)
        #expect(abs(gain(powers) - 1.10419) < 2e-4)
        // The mean is 0.7 · 2^-6. A pause would leave 0.996 of it.
        #expect(abs(gain([0x1p-6, 0.1 * 0x1p-6, 0x1p-6]) - 0.67680) < 1e-4)
    }
}
