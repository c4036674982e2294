import Testing
import Voice

#if canImport(Glibc)
import Glibc
#endif

@Suite("the sound of a beep")
struct BeepSoundTests {
    /// Two tones of 2,880 samples at -30 dBFS, 660 and 440 Hz or the other way round, with one continuous phase. Each
    /// tone rises and falls linearly over 480 samples.
    private func expected(_ kind: Beep.Kind) -> [Float] {
        var phase = 0.0
        return (0..<5_760).map { position in
            let isHigh = (position < 2_880) == (kind == .lost)
            phase += 2 * Double.pi * (isHigh ? 660 : 440) / 48_000
            let place = position % 2_880
            let edge = min(480, place, 2_879 - place)
            return Float(0.0316 * sin(phase) * Double(edge) / 480)
        }
    }

    @Test(
        "the tones are added to the mix sample by sample, on each channel, for any block size",
        arguments: [Beep.Kind.lost, .returned], [240, 1_000, 4_800])
    func notes(kind: Beep.Kind, count: Int) {
        var beep = Beep()
        beep.start(kind)
        var heard: [Float] = []
        while heard.count < 6_000 {
            var (left, right) = ([Float](repeating: 0.25, count: count), [Float](repeating: -0.25, count: count))
            beep.add(to: &left, &right, count: count)
            #expect(zip(left, right).allSatisfy { abs($0 - $1 - 0.5) < 1e-6 })
            heard += left.map { $0 - 0.25 }
        }
        let worst = zip(heard, expected(kind) + [Float](repeating: 0, count: 240)).map { abs($0 - $1) }.max() ?? 1
        #expect(worst < 1e-5)
    }

    @Test("a beep sounds for 120 ms, and can then start again")
    func length() {
        var beep = Beep()
        #expect(!beep.isSounding)
        for _ in 0..<2 {
            beep.start(.lost)
            var block = [Float](repeating: 0, count: 5_759)
            beep.add(to: &block, nil, count: 5_759)
            #expect(beep.isSounding)
            beep.add(to: &block, nil, count: 1)
            #expect(!beep.isSounding)
            #expect(abs(block[1_000] - expected(.lost)[1_000]) < 1e-5)
        }
    }

    @Test("a beep that sounds is not interrupted by another one")
    func started() {
        var beep = Beep()
        beep.start(.lost)
        var block = [Float](repeating: 0, count: 1_000)
        beep.add(to: &block, nil, count: 1_000)
        beep.start(.returned)
        block = [Float](repeating: 0, count: 1_000)
        beep.add(to: &block, nil, count: 1_000)
        #expect(zip(block, expected(.lost)[1_000...]).allSatisfy { abs($0 - $1) < 1e-5 })
    }
}
