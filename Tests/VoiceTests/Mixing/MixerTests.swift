import Primitives
import Testing
import Voice

@Suite struct MixerTests {
    /// The mix of one block from each of some talkers.
    private func mix(_ mixer: inout Mixer, _ voices: [[Float]]) -> [Float] {
        let count = voices[0].count
        var output = [Float](repeating: 0, count: count * mixer.channels)
        mixer.begin(count: count)
        for (index, voice) in voices.enumerated() { mixer.add(voice, of: index, count: count) }
        output.withUnsafeMutableBufferPointer { mixer.finish(into: $0.baseAddress!, count: count) }
        return output
    }

    private func tone(_ amplitude: Float, count: Int = 240) -> [Float] {
        (0..<count).map { $0 % 48 < 24 ? amplitude : -amplitude }
    }

    private func power(_ samples: some Collection<Float>) -> Float {
        samples.reduce(0) { $0 + $1 * $1 } / Float(samples.count)
    }

    private func side(_ block: [Float], _ channel: Int) -> [Float] {
        stride(from: channel, to: block.count, by: 2).map { block[$0] }
    }

    @Test("in mono a talker passes bit by bit, whatever its pan")
    func monoIsExact() {
        var mixer = Mixer(channels: 1)
        mixer.setPan(0, to: -1)
        let voice = (0..<240).map { Float($0) / 480 }
        #expect(mix(&mixer, [voice]) == voice)
    }

    @Test("in the middle each channel equals the mono mix")
    func middleIsMono() {
        var mixer = Mixer(channels: 2)
        let voice = tone(0.25)
        let block = mix(&mixer, [voice])
        #expect(side(block, 0) == voice && side(block, 1) == voice)
    }

    @Test("a talker has equal power at every pan", arguments: [-1, -0.6, -0.25, 0, 0.4, 1] as [Float])
    func constantPower(pan: Float) {
        var mixer = Mixer(channels: 2)
        mixer.setPan(0, to: pan)
        let block = mix(&mixer, [tone(0.25)])
        #expect(abs(power(block) - 0.0625) < 1e-5)
        let (left, right) = (power(side(block, 0)), power(side(block, 1)))
        #expect(pan == 0 ? left == right : (left < right) == (0 < pan))
    }

    @Test("a change of pan causes no step")
    func movesInALine() {
        var mixer = Mixer(channels: 2)
        let steady = [Float](repeating: 0.25, count: 240)
        _ = mix(&mixer, [steady])
        mixer.setPan(0, to: 1)
        let left = (0..<4).flatMap { _ in side(mix(&mixer, [steady]), 0) }
        let steps = zip(left, left.dropFirst()).map { abs($0 - $1) }
        #expect((steps.max() ?? 1) < 0.002)
        #expect(left.last == 0)
    }

    @Test("the automatic pan is fixed for each peer, and spreads a crew over the stereo field")
    func automaticPlaces() {
        var random = SeededRandom(seed: 3)
        let crew = (0..<64).map { _ in NodeID(words: (random.next(), random.next(), random.next(), random.next())) }
        let pans = crew.map(StereoPan.automatic)
        #expect(pans == crew.map(StereoPan.automatic))
        #expect(pans.allSatisfy { abs($0) <= 60 })
        #expect(pans.contains { $0 < -30 } && pans.contains { 30 < $0 } && 30 < Set(pans).count)
    }

    @Test("while a priority talker speaks the others are 15 dB down within 15 ms, and back 0.5 s later")
    func ducking() {
        var mixer = Mixer(channels: 1)
        mixer.setPriority(1, to: true)
        let (speech, silence) = (tone(0.25), tone(0))
        func other(_ block: [Float], _ priority: [Float]) -> Float { abs(block[239] - priority[239]) / 0.25 }
        _ = mix(&mixer, [speech, silence])
        // The mixer learns only after the mix of its first block that the priority talker speaks.
        for _ in 0..<3 { _ = mix(&mixer, [speech, speech]) }
        #expect(abs(other(mix(&mixer, [speech, speech]), speech) - 0.178) < 0.01)
        for _ in 0..<30 { _ = mix(&mixer, [speech, silence]) }
        #expect(other(mix(&mixer, [speech, silence]), silence) < 0.2, "a gap between words")
        for _ in 0..<80 { _ = mix(&mixer, [speech, silence]) }
        #expect(other(mix(&mixer, [speech, silence]), silence) == 1)
    }

    @Test("an open but silent microphone of a priority talker ducks nobody")
    func silentPriority() {
        var mixer = Mixer(channels: 1)
        mixer.setPriority(1, to: true)
        for _ in 0..<20 { _ = mix(&mixer, [tone(0.25), tone(0.001)]) }
        #expect(0.24 < mix(&mixer, [tone(0.25), tone(0)])[0])
    }

    @Test("dim lowers everything linearly")
    func dim() {
        var mixer = Mixer(channels: 1)
        let steady = [Float](repeating: 0.5, count: 240)
        _ = mix(&mixer, [steady])
        mixer.masterTarget = 0.1
        let sound = (0..<4).flatMap { _ in mix(&mixer, [steady]) }
        #expect((zip(sound, sound.dropFirst()).map { abs($0 - $1) }.max() ?? 1) < 0.0015)
        #expect(abs(sound[959] - 0.05) < 1e-5)
    }

    @Test("64 talkers at once neither reach full scale nor pump")
    func crowd() {
        var random = SeededRandom(seed: 9)
        var mixer = Mixer(channels: 2)
        for index in 0..<64 { mixer.setPan(index, to: Float(random.unit() * 1.2 - 0.6)) }
        var (worst, loudest, quietest): (Float, Float, Float) = (0, 0, 1)
        for block in 0..<200 {
            // Independent voices of -23 dBFS each: -5 dBFS together.
            let voices = (0..<64).map { _ in (0..<240).map { _ in Float(random.unit() * 2 - 1) * 0.1227 } }
            let output = mix(&mixer, voices)
            worst = max(worst, output.map(abs).max() ?? 0)
            guard 20 <= block else { continue }
            (loudest, quietest) = (max(loudest, power(output)), min(quietest, power(output)))
        }
        #expect(worst < 1)
        // 4.3 dB between the loudest and the quietest block. Of these, 1.5 dB are chance with 240 samples of noise.
        #expect(loudest / quietest < 3)
    }
}
