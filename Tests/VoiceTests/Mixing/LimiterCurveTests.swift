import Primitives
import Testing
import Voice

@Suite("the limiter, sample by sample")
struct LimiterCurveTests {
    /// The gain at the end of each segment of 60 samples, and the knee above -1 dB, as in the type's description: an
    /// independent recursion in double precision.
    private struct Reference {
        var gain = 1.0

        mutating func process(_ sides: [[Float]]) -> [[Float]] {
            var output = sides
            for start in stride(from: 0, to: sides[0].count, by: 60) {
                let range = start..<min(start + 60, sides[0].count)
                let peak = sides.map { side in range.map { Double(abs(side[$0])) }.max() ?? 0 }.max() ?? 0
                let released = gain + 0.02 * (1 - gain) * Double(range.count) / 60
                let end = min(0.891 / max(peak, 0.891), 0.9999 < released ? 1 : released)
                for side in sides.indices {
                    for index in range {
                        let part = Double(index - start + 1) / Double(range.count)
                        output[side][index] = Float(knee(Double(sides[side][index]) * (gain + (end - gain) * part)))
                    }
                }
                gain = end
            }
            return output
        }

        private func knee(_ x: Double) -> Double {
            guard 0.891 < abs(x) else { return x }
            let over = (abs(x) - 0.891) / 0.109
            return (0.891 + 0.109 * over / (1 + over)) * (x < 0 ? -1 : 1)
        }
    }

    private func process(_ limiter: inout Limiter, _ sound: [Float]) -> [Float] {
        var output = sound
        limiter.process(&output, count: sound.count)
        return output
    }

    /// Noise with one peak for each segment.
    private func noise(_ peaks: [Float], seed: UInt64) -> [Float] {
        var random = SeededRandom(seed: seed)
        return peaks.flatMap { peak in (0..<60).map { _ in Float(random.unit() * 2 - 1) * peak } }
    }

    private static let peaks: [Float] = [0.5, 4, 0.1, 0.95, 0.95, 50, 49, 1, 0.1, 0.1, 0.1, 2, 2, 1.9]

    @Test("one channel follows the reference, in blocks of any size", arguments: [840, 100, 60, 59, 1])
    func mono(count: Int) {
        var (limiter, reference) = (Limiter(), Reference())
        let sound = noise(Self.peaks, seed: 4)
        for start in stride(from: 0, to: sound.count, by: count) {
            let block = Array(sound[start..<min(start + count, sound.count)])
            let expected = reference.process([block])[0]
            let output = process(&limiter, block)
            #expect(zip(output, expected).allSatisfy { abs($0 - $1) < 2e-5 })
            #expect(abs(Double(limiter.gain) - reference.gain) < 1e-5)
        }
    }

    @Test("two channels share the gain, whichever is louder", arguments: [false, true])
    func stereo(isSwapped: Bool) {
        var (limiter, reference) = (Limiter(), Reference())
        let (loud, quiet) = (noise(Self.peaks, seed: 5), noise(Self.peaks.reversed().map { $0 / 8 }, seed: 6))
        var (left, right) = isSwapped ? (quiet, loud) : (loud, quiet)
        let expected = reference.process([left, right])
        limiter.process(&left, &right, count: left.count)
        #expect(zip(left, expected[0]).allSatisfy { abs($0 - $1) < 2e-5 })
        #expect(zip(right, expected[1]).allSatisfy { abs($0 - $1) < 2e-5 })
    }

    @Test("one loud sample lowers the gain, wherever in a segment it lies", arguments: [0, 1, 59, 60, 119])
    func spike(place: Int) {
        var limiter = Limiter()
        var sound = [Float](repeating: 0.1, count: 120)
        sound[place] = -3
        let output = process(&limiter, sound)
        #expect(output.allSatisfy { abs($0) < 1 })
        #expect(output[place] < -0.89 && output[place / 60 * 60 + 59] < 0.0999)
    }

    @Test("the gain recovers by a 50th of the rest in 1.25 ms, and reaches one, so that sound passes unchanged")
    func release() {
        var limiter = Limiter()
        _ = process(&limiter, [Float](repeating: 2, count: 60))
        #expect(abs(limiter.gain - 0.4455) < 1e-6)
        for expected: Float in [0.45659, 0.467458, 0.478109] {
            _ = process(&limiter, [Float](repeating: 0.1, count: 60))
            #expect(abs(limiter.gain - expected) < 2e-6)
        }
        let quiet = [Float](repeating: 0.1, count: 60)
        for _ in 0..<430 { _ = process(&limiter, quiet) }
        #expect(limiter.gain == 1)
        let output = process(&limiter, quiet)
        #expect(output == quiet)
    }

    @Test("the gain recovers as fast in blocks of any size", arguments: [1, 20, 32, 64, 100, 240, 2_880])
    func releaseTime(count: Int) {
        var limiter = Limiter()
        _ = process(&limiter, [Float](repeating: 2, count: 60))
        for start in stride(from: 0, to: 2_880, by: count) {
            _ = process(&limiter, [Float](repeating: 0.1, count: min(count, 2_880 - start)))
        }
        // 1 - 0.5545 · 0.98^48
        #expect(abs(limiter.gain - 0.78975) < 3e-3)
    }

    @Test("a gain just below one recovers no further than the next loud sound allows")
    func nearlyWhole() {
        var limiter = Limiter()
        _ = process(&limiter, [Float](repeating: 0.891 / 0.9999, count: 60))
        #expect(abs(limiter.gain - 0.9999) < 1e-6)
        _ = process(&limiter, [Float](repeating: 0.891 / 0.99995, count: 60))
        #expect(abs(limiter.gain - 0.99995) < 1e-6)
    }
}
