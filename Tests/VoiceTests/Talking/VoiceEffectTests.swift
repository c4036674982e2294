import Glibc
import Testing
import Voice

@Suite("voice effects")
struct VoiceEffectTests {
    private func processed(_ samples: [Float], _ effects: [VoiceEffect]) -> [Float] {
        var chain = VoiceEffects(effects)
        var samples = samples
        samples.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            for start in stride(from: 0, to: buffer.count, by: 240) {
                chain.process(base + start, count: min(240, buffer.count - start))
            }
        }
        return samples
    }

    private func tone(_ hertz: Double) -> [Float] {
        (0..<96_000).map { Float(0.25 * sin(2 * .pi * hertz * Double($0) / 48_000)) }
    }

    /// How often in a second it rises through zero.
    private func pitch(_ samples: ArraySlice<Float>) -> Double {
        let rises = zip(samples, samples.dropFirst()).count { $0 < 0 && 0 <= $1 }
        return Double(rises) * 48_000 / Double(samples.count)
    }

    private func power(_ samples: ArraySlice<Float>) -> Float {
        samples.reduce(0) { $0 + $1 * $1 } / Float(max(1, samples.count))
    }

    @Test("without effects the sound is unchanged, to the sample")
    func none() {
        #expect(processed(tone(440), []) == tone(440))
        #expect(processed(tone(440), [.pitch(semitones: 0)]) == tone(440))
    }

    @Test("a voice goes up or down by its semitones", arguments: [(12, 800.0), (-12, 200.0), (7, 599.3), (-4, 317.5)])
    func semitones(semitones: Int, hertz: Double) {
        // At 400 Hz whole periods lie between the two heads.
        let shifted = processed(tone(400), [.pitch(semitones: semitones)])
        let found = pitch(shifted[24_000...])
        #expect(abs(found / hertz - 1) < 0.01, "\(found) Hz")
        #expect(power(shifted[24_000...]) > 0.8 * power(tone(400)[24_000...]))
    }

    @Test(
        "effects that have forgotten the sound of before add nothing to silence",
        arguments: [VoiceEffect.pitch(semitones: 7), .reverb(percent: 100)])
    func forgets(effect: VoiceEffect) {
        for forgets in [false, true] {
            var chain = VoiceEffects([effect])
            var spoken = tone(400)
            spoken.withUnsafeMutableBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return }
                chain.process(base, count: buffer.count)
            }
            if forgets { chain.forget() }
            var silence = [Float](repeating: 0, count: 4_800)
            silence.withUnsafeMutableBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return }
                chain.process(base, count: buffer.count)
            }
            let loudest = silence.map(abs).max() ?? 0
            #expect(forgets ? loudest < 1e-9 : 0.01 < loudest, "\(loudest)")
        }
    }

    @Test("reverb follows the word at once and decays, and leaves the word itself unchanged")
    func hall() {
        var word = [Float](repeating: 0, count: 4 * 48_000)
        word[100] = 1
        let heard = processed(word, [.reverb(percent: 100)])
        #expect(abs(heard[100] - 1) < 1e-6 && heard[..<100].allSatisfy { abs($0) < 1e-6 })
        let tails = [10_000, 40_000, 90_000, 180_000].map { power(heard[$0..<($0 + 4_800)]) }
        #expect(1e-9 < tails[0])
        for (earlier, later) in zip(tails, tails.dropFirst()) { #expect(later < earlier / 4 || later < 1e-12) }
        #expect(heard.allSatisfy { $0.isFinite && abs($0) <= 1.001 })
    }
}
