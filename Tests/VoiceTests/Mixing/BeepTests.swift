import Testing
import Voice

@Suite struct BeepTests {
    private func sound(_ kind: Beep.Kind, blocks: Int = 24, count: Int = 240) -> [Float] {
        var mixer = Mixer(channels: 1)
        mixer.startBeep(kind)
        var output = [Float](repeating: 0, count: count)
        return (0..<blocks).flatMap { _ in
            mixer.begin(count: count)
            output.withUnsafeMutableBufferPointer { mixer.finish(into: $0.baseAddress!, count: count) }
            return output
        }
    }

    /// How often the sound rises through zero.
    private func turns(_ samples: ArraySlice<Float>) -> Int {
        zip(samples, samples.dropFirst()).count { $0 < 0 && 0 <= $1 }
    }

    @Test("a beep is short, quiet and without a click", arguments: [Beep.Kind.lost, .returned])
    func shape(kind: Beep.Kind) {
        let samples = sound(kind, blocks: 40)
        #expect(samples.dropFirst(5_760).allSatisfy { $0 == 0 })
        let peak = samples.map(abs).max() ?? 0
        #expect(0.03 < peak && peak < 0.032)
        #expect((zip(samples, samples.dropFirst()).map { abs($0 - $1) }.max() ?? 1) < 0.003)
    }

    @Test("the beep falls when a peer is lost, and rises when a peer is back")
    func pitch() {
        let (lost, returned) = (sound(.lost), sound(.returned))
        #expect(abs(turns(lost[..<2_880]) - 40) <= 1 && abs(turns(lost[2_880...]) - 26) <= 1)
        #expect(abs(turns(returned[..<2_880]) - 26) <= 1 && abs(turns(returned[2_880...]) - 40) <= 1)
    }
}
