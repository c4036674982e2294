import Testing
import Voice

@Suite("the input chain")
struct InputChainTests {
    /// The chain's output, in periods of `period` samples.
    private func output(_ stages: InputChain.Stages, _ sound: [Float], period: Int = 240) -> [Float] {
        var chain = InputChain(stages)
        var samples = sound
        samples.withUnsafeMutableBufferPointer { block in
            guard let base = block.baseAddress else { return }
            for start in stride(from: 0, to: block.count, by: period) {
                chain.process(base + start, count: min(period, block.count - start))
            }
        }
        return samples
    }

    private static let all: InputChain.Stages = [.highPass, .howlGuard, .gate, .gain]

    @Test("without a stage the chain changes nothing")
    func bypass() {
        let sound = Sound.noise(4_800, decibels: -20)
        #expect(output([], sound) == sound)
    }

    @Test("no stage delays the sound", arguments: [1, 3, 100, 240, 1_024])
    func noDelay(period: Int) {
        var sound = [Float](repeating: 0, count: 4_800)
        sound[2_000] = 0.5
        let heard = output(Self.all, sound, period: period)
        let loudest = heard.indices.max { abs(heard[$0]) < abs(heard[$1]) }
        #expect(loudest == 2_000 && heard[..<2_000].allSatisfy { $0 == 0 })
    }

    @Test("periods of any size give the same sound", arguments: [InputChain.Stages.highPass, .howlGuard])
    func anyPeriod(stage: InputChain.Stages) {
        let sound = Sound.sum(
            Sound.noise(9_600, decibels: -40), Sound.word(milliseconds: 100, decibels: -20), at: 4_000)
        #expect(output(stage, sound, period: 240) == output(stage, sound, period: 77))
    }

    @Test(
        "the high-pass removes rumble and keeps speech",
        arguments: [(20.0, -40.0, -25.0), (45, -15, -10), (90, -3.5, -2.5), (200, -0.5, 0.1), (1_000, -0.1, 0.1)])
    func highPass(hertz: Double, from: Double, to: Double) {
        let tone = Sound.tone(48_000, hertz: hertz, amplitude: 0.5)
        let change = Sound.decibels(output(.highPass, tone).suffix(24_000)) - Sound.decibels(tone.suffix(24_000))
        #expect(from <= change && change <= to, "\(hertz) Hz: \(change) dB")
    }

    @Test("the gate lowers the room by 20 dB, and a word not at all")
    func gate() {
        let room = Sound.noise(6 * 48_000, decibels: -50)
        let word = Sound.word(milliseconds: 600, decibels: -20)
        let sound = Sound.sum(room, word, at: 4 * 48_000)
        let heard = output(.gate, sound)
        let quiet = (3 * 48_000)..<(4 * 48_000 - 480)
        #expect(abs(Sound.decibels(heard[quiet]) - Sound.decibels(sound[quiet]) + 20) < 0.5)
        // From 5 ms into the word on, whose own onset takes 10 ms, it is unchanged.
        let spoken = (4 * 48_000 + 240)..<(4 * 48_000 + 24_000)
        #expect(abs(Sound.decibels(heard[spoken]) - Sound.decibels(sound[spoken])) < 0.1)
        #expect(Sound.decibels(heard[(4 * 48_000 + 45_000)..<(5 * 48_000 + 40_000)]) < -65)
    }

    @Test("the gain brings a soft and a loud voice near -23 dBFS", arguments: [-36.0, -30, -18, -12])
    func gain(decibels: Double) {
        var sound = Sound.noise(12 * 48_000, decibels: -75)
        for number in 0..<20 {
            let word = Sound.word(milliseconds: 450, decibels: decibels)
            sound = Sound.sum(sound, word, at: 48_000 + number * 26_000)
        }
        let heard = output(.gain, sound)
        let last = (48_000 + 19 * 26_000 + 2_400)..<(48_000 + 19 * 26_000 + 19_200)
        let level = Sound.decibels(heard[last])
        let before = Sound.decibels(sound[last])
        let wanted = min(before + 15, max(before - 6, -23))
        #expect(abs(level - wanted) < 2.5, "\(level) dBFS")
        #expect(heard.allSatisfy { abs($0) < 1 })
    }

    @Test("in pauses the gain does not rise")
    func gainInPauses() {
        var sound = Sound.noise(20 * 48_000, decibels: -65)
        sound = Sound.sum(sound, Sound.word(milliseconds: 500, decibels: -26), at: 2 * 48_000)
        let heard = output(.gain, sound)
        let change = Sound.decibels(heard.suffix(48_000)) - Sound.decibels(sound.suffix(48_000))
        #expect(abs(change) < 2, "\(change) dB")
    }

    @Test("the gain falls at once for a shout")
    func gainPeak() {
        var sound = Sound.noise(10 * 48_000, decibels: -75)
        for number in 0..<12 {
            sound = Sound.sum(sound, Sound.word(milliseconds: 450, decibels: -36), at: 48_000 + number * 26_000)
        }
        sound = Sound.sum(sound, Sound.tone(24_000, hertz: 500, amplitude: 0.8), at: 9 * 48_000)
        let heard = output(.gain, sound)
        #expect(heard.allSatisfy { abs($0) <= 0.86 })
    }
}
