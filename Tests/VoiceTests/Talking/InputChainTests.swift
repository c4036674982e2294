import Primitives
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

@Suite("each stage of the input chain alone")
struct InputStageTests {
    private func give(_ samples: [Float], _ chain: inout InputChain, period: Int = 240) -> [Float] {
        var samples = samples
        for start in stride(from: 0, to: samples.count, by: period) {
            samples.work(from: start, count: min(period, samples.count - start)) { chain.process($0, count: $1) }
        }
        return samples
    }

    private static let stages: [InputChain.Stages] = [.highPass, .howlGuard, .gate, .gain]

    /// A soft tone that howls at the end, and then the room: every stage has something to do.
    @Test("a stage works if it is switched on, and no other stage does", arguments: 0..<16)
    func alone(choice: Int) {
        let stages = InputChain.Stages(Self.stages.indices.filter { choice & 1 << $0 != 0 }.map { Self.stages[$0] })
        var chain = InputChain(stages)
        var tone = Sound.tone(9_600, hertz: 1_200, amplitude: 0.01)
        for index in 2_880..<9_600 { tone[index] *= Float(1 + (index - 2_880) / 960) }
        tone[0] = 0.01
        let heard = give(tone, &chain)
        let quiet = give(Sound.noise(24_000, decibels: -75), &chain)
        #expect((heard[0] != 0.01) == stages.contains(.highPass), "the filter weakens the first sample")
        #expect((0 < chain.howlGuard.howls) == stages.contains(.howlGuard))
        #expect(chain.gate.isClosed == stages.contains(.gate))
        #expect((chain.gain.gain != 1) == stages.contains(.gain))
        #expect((quiet == Sound.noise(24_000, decibels: -75)) == stages.isEmpty)
    }

    @Test("gate and gain work in pieces of 2.5 ms, whatever the period", arguments: [480, 960, 9_600])
    func pieces(period: Int) {
        let room = Sound.noise(19_200, decibels: -70)
        let sound = Sound.sum(room, Sound.tone(4_000, hertz: 1_000, amplitude: 0.05), at: 9_600 + 200)
        var (fine, coarse) = (InputChain([.gate, .gain]), InputChain([.gate, .gain]))
        #expect(give(sound, &fine, period: 120) == give(sound, &coarse, period: period))
    }

    @Test("the gate opens for the piece that is loud, and closes 150 ms after the last one")
    func gateTimes() {
        var chain = InputChain(.gate)
        _ = give([Float](repeating: 1e-4, count: 4_800), &chain)
        #expect(chain.gate.isClosed)
        let tone = Sound.tone(120, hertz: 4_000, amplitude: 0.05)
        let word = give(tone, &chain, period: 120)
        #expect(!chain.gate.isClosed && word[60] == tone[60], "open after a millisecond")
        // One piece more than 60, because the filter of the measurement rings that long.
        let after = give([Float](repeating: 1e-4, count: 64 * 120), &chain, period: 120)
        #expect(after.firstIndex { $0 != 1e-4 } == 61 * 120)
    }
}
