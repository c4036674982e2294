import Primitives
import Testing
import Voice

@Suite("voice effects, sample by sample")
struct VoiceEffectResponseTests {
    private static let sound: [Float] = {
        var random = SeededRandom(seed: 11)
        return (0..<16_000).map { _ in Float(random.swing()) }
    }()

    private func processed(_ sound: [Float], _ effects: [VoiceEffect]) -> [Float] {
        var chain = VoiceEffects(effects)
        var samples = sound
        for start in stride(from: 0, to: sound.count, by: 100) {
            samples.work(from: start, count: 100) { chain.process($0, count: $1) }
        }
        return samples
    }

    @Test(
        "the response is the recorded one",
        arguments: [
            ("pitch+5", VoiceEffect.pitch(semitones: 5)), ("pitch-7", .pitch(semitones: -7)),
            ("reverb70", .reverb(percent: 70)),
        ])
    func response(name: String, effect: VoiceEffect) throws {
        let recorded = try #require(RecordedResponse.lines(of: "voice-effects.txt").first { $0.name == name }).values
        let heard = processed(Self.sound, [effect])
        #expect(recorded.count == 40)
        for (number, value) in recorded.enumerated() {
            let sample = heard[180 + number * 397]
            #expect(abs(sample - value) < 5e-4, "sample \(180 + number * 397): \(sample) for \(value)")
        }
    }

    @Test("pitch adds 15 ms of delay and reverb none, and the smallest setting of each has an effect")
    func delay() {
        let delays = [[], [.pitch(semitones: 1)], [.reverb(percent: 1)]].map { (effects: [VoiceEffect]) in
            let chain = VoiceEffects(effects)
            return chain.delaySamples
        }
        #expect(delays == [0, 720, 0])
        #expect(processed(Self.sound, [.pitch(semitones: 1)]) != Self.sound)
        #expect(processed(Self.sound, [.reverb(percent: 1)]) != Self.sound)
    }

    @Test("reverb is applied after pitch, in whichever order they are given")
    func order() {
        let (pitch, hall) = (VoiceEffect.pitch(semitones: -3), VoiceEffect.reverb(percent: 40))
        let apart = processed(processed(Self.sound, [pitch]), [hall])
        #expect(processed(Self.sound, [pitch, hall]) == apart)
        #expect(processed(Self.sound, [hall, pitch]) == apart)
    }

    @Test("silence stays silent, whatever the memory held before")
    func silence() {
        let quiet = [Float](repeating: 0, count: 8_000)
        for _ in 0..<3 {
            // Memory of the sizes that the effects allocate, left filled.
            for count in [2_048, 10_560, 2_048, 10_560] {
                let left = UnsafeMutablePointer<Float>.allocate(capacity: count)
                left.initialize(repeating: 0.5, count: count)
                left.deallocate()
            }
            let heard = processed(quiet, [.pitch(semitones: 4), .reverb(percent: 100)])
            #expect(heard.allSatisfy { abs($0) < 1e-9 })
        }
    }
}
