import Glibc
import Primitives
import SpeechProcessing
import Testing

@Suite("echo and noise", .enabled(if: SpeechProcessor.isBuiltIn))
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

    /// The far voice as the microphone hears it: 40 ms later through a room that decays by 60 dB in 0.3 s.
    private func echo(of far: [Float], decibels: Double) -> [Float] {
        var random = SeededRandom(seed: 77)
        // Some hundred reflections in the first 100 ms; the rest is 20 dB below.
        var taps: [(delay: Int, gain: Float)] = [(1_920, 1)]
        for _ in 0..<150 {
            let late = Int(random.below(4_800))
            let sign: Float = random.below(2) == 0 ? 1 : -1
            taps.append((1_920 + late, sign * 0.25 * Float(pow(10, -3 * Double(late) / 14_400))))
        }
        var echo = [Float](repeating: 0, count: far.count)
        for tap in taps {
            for index in tap.delay..<far.count { echo[index] += tap.gain * far[index - tap.delay] }
        }
        let wanted = SpeechProcessorTests.decibels(far) + decibels
        let factor = Float(pow(10, (wanted - SpeechProcessorTests.decibels(echo)) / 20))
        return echo.map { $0 * factor }
    }

    private func processed(
        _ captured: [Float], reference: [Float], _ stages: SpeechProcessor.Stages
    ) throws -> [Float] {
        let processor = try #require(SpeechProcessor(stages))
        var samples = captured
        samples.withUnsafeMutableBufferPointer { block in
            reference.withUnsafeBufferPointer { played in
                guard let out = block.baseAddress, let far = played.baseAddress else { return }
                for start in stride(from: 0, through: captured.count - Self.block, by: Self.block) {
                    processor.process(reference: far + start, captured: out + start, delayMilliseconds: 2)
                }
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

    @Test("an echo of 40 ms and a room is at least 20 dB lower after five seconds")
    func echoReturnLoss() throws {
        let far = voice(12 * 48_000, seed: 1, decibels: -20)
        let echo = echo(of: far, decibels: -6)
        let heard = try processed(echo, reference: far, .echoCancellation)
        let window = (5 * 48_000)..<(12 * 48_000)
        let loss = Self.decibels(echo[window]) - Self.decibels(heard[window])
        #expect(20 <= loss, "\(loss) dB")
    }

    @Test("without the reference the same echo stays, or the test above shows nothing")
    func withoutReference() throws {
        let far = voice(8 * 48_000, seed: 1, decibels: -20)
        let echo = echo(of: far, decibels: -6)
        let silence = [Float](repeating: 0, count: far.count)
        let heard = try processed(echo, reference: silence, .echoCancellation)
        let window = (5 * 48_000)..<(8 * 48_000)
        #expect(abs(Self.decibels(echo[window]) - Self.decibels(heard[window])) < 3)
    }

    @Test("the own voice passes while the other is silent")
    func ownVoice() throws {
        let far = voice(6 * 48_000, seed: 1, decibels: -20) + [Float](repeating: 0, count: 4 * 48_000)
        let own = [Float](repeating: 0, count: 7 * 48_000) + voice(3 * 48_000, seed: 2, decibels: -22)
        let captured = zip(echo(of: far, decibels: -6), own).map { $0 + $1 }
        let heard = try processed(captured, reference: far, .echoCancellation)
        let window = (7 * 48_000 + 24_000)..<(10 * 48_000)
        #expect(abs(Self.decibels(captured[window]) - Self.decibels(heard[window])) < 3)
    }

    @Test("steady noise is lowered by at least 10 dB, a voice above it is not lost")
    func noise() throws {
        var random = SeededRandom(seed: 5)
        let noise = (0..<(8 * 48_000)).map { _ -> Float in 0.01 * Self.unit(&random) }
        let own = [Float](repeating: 0, count: 6 * 48_000) + voice(2 * 48_000, seed: 2, decibels: -20)
        let captured = zip(noise, own).map { $0 + $1 }
        let silence = [Float](repeating: 0, count: captured.count)
        let heard = try processed(captured, reference: silence, .noiseSuppression)
        let quiet = (3 * 48_000)..<(6 * 48_000)
        #expect(10 <= Self.decibels(captured[quiet]) - Self.decibels(heard[quiet]))
        let spoken = (6 * 48_000)..<(8 * 48_000)
        #expect(abs(Self.decibels(captured[spoken]) - Self.decibels(heard[spoken])) < 4)
    }
}
