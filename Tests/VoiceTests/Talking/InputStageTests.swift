import Primitives
import Testing
import Voice

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
