import Glibc
import Primitives
import SpeechProcessing
import Testing

@Suite("noise suppression", .enabled(if: SpeechProcessor.isBuiltIn))
struct SpeechProcessorTests {
    private static let block = SpeechProcessor.blockSamples

    /// Sound like speech: syllables of noise with a spectrum that falls, and pauses.
    private func voice(_ count: Int, seed: UInt64, decibels: Double) -> [Float] {
        var random = SeededRandom(seed: seed)
        var smooth = 0.0
        let scale = pow(10, decibels / 20) * 4
        return (0..<count).map { index in
            smooth += (Double(Self.unit(&random)) - smooth) * 0.3
            let syllable = max(0, sin(2 * .pi * Double(index) / 12_000)) * (index / 96_000 % 4 == 3 ? 0 : 1)
            return Float(scale * smooth * syllable)
        }
    }

    private func processed(_ captured: [Float]) throws -> [Float] {
        let processor = try #require(SpeechProcessor())
        var samples = captured
        samples.withUnsafeMutableBufferPointer { block in
            guard let out = block.baseAddress else { return }
            for start in stride(from: 0, through: captured.count - Self.block, by: Self.block) {
                processor.process(out + start)
            }
        }
        #expect(processor.failures == 0)
        return samples
    }

    /// Evenly from ±1.
    private static func unit(_ random: inout SeededRandom) -> Float {
        let whole = Float(random.below(1 << 20))
        return whole / Float(1 << 19) - 1
    }

    private static func decibels(_ samples: some Collection<Float>) -> Double {
        let power = samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(max(1, samples.count))
        return 10 * log10(max(power, 1e-12))
    }

    @Test("steady noise is lowered by at least 10 dB, a voice above it is not lost")
    func noise() throws {
        var random = SeededRandom(seed: 5)
        let noise = (0..<(8 * 48_000)).map { _ -> Float in 0.01 * Self.unit(&random) }
        let own = [Float](repeating: 0, count: 6 * 48_000) + voice(2 * 48_000, seed: 2, decibels: -20)
        let captured = zip(noise, own).map { $0 + $1 }
        let heard = try processed(captured)
        let quiet = (3 * 48_000)..<(6 * 48_000)
        #expect(10 <= Self.decibels(captured[quiet]) - Self.decibels(heard[quiet]))
        let spoken = (6 * 48_000)..<(8 * 48_000)
        #expect(abs(Self.decibels(captured[spoken]) - Self.decibels(heard[spoken])) < 4)
    }
}
