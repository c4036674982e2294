import Primitives
import Testing
import Voice
import Wire

@Suite("plain sound, bit for bit")
struct PlainBytesTests {
    @Test(
        "full scale is 32,767; a sample is rounded to the nearest step, and is little-endian",
        arguments: [
            (0, 0, 0), (1, 0xFF, 0x7F), (-1, 0x01, 0x80), (1.5, 0xFF, 0x7F), (-1.5, 0x01, 0x80), (258.4, 0x02, 0x01),
            (258.6, 0x03, 0x01), (-258.4, 0xFE, 0xFE), (-258.6, 0xFD, 0xFE), (0.4, 0, 0), (-0.4, 0, 0),
            (0.6, 1, 0), (-0.6, 0xFF, 0xFF),
        ] as [(Float, UInt8, UInt8)])
    func steps(value: Float, low: UInt8, high: UInt8) {
        // 1 and 1.5 are full scale and more. The other values are in steps.
        let sample = [0, 1, 1.5].contains(abs(value)) ? value : value / 32_767
        var bytes: [UInt8] = [9, 9, 9, 9]
        PlainSound.encode([0, sample], count: 2, into: &bytes)
        #expect(bytes == [0, 0, low, high])
        var decoded: [Float] = [9, 9]
        PlainSound.decode(bytes, into: &decoded, count: 2)
        let step = Int16(bitPattern: UInt16(high) << 8 | UInt16(low))
        #expect(decoded == [0, Float(step) / 32_767])
        #expect(PlainSound.byteCount(of: 60) == 120)
    }

    @Test("a value half way between two steps is rounded away from zero")
    func halfWay() {
        var bytes = [UInt8](repeating: 9, count: 4)
        // 0.5 of a step exactly: the product is not rounded.
        PlainSound.encode([0.5 / 32_767, -0.5 / 32_767], count: 2, into: &bytes)
        #expect(bytes == [1, 0, 0xFF, 0xFF])
    }

    /// The sound from the gap on, of a spurt of plain frames whose last ones are missing.
    private func gap(frame: FrameDuration, frames: Int) -> [Float] {
        var bench = ReceivingBench()
        bench.talk(
            ReceivingBench.Packet(start: 97_000, frame: frame, isPlain: true), frames: 0..<frames,
            offset: 9_600 - 97_000 - Int64(frame.samples))
        // The target is 252, so the first sample sounds at 9,858.
        let end = 9_858 + Int64(frames * frame.samples)
        return bench.play(until: 12_960, from: end)
    }

    @Test(
        "a gap is bridged with the last 2.5 ms, backward and forward in turn, and is silent within 10 ms",
        arguments: [(.ms1_25, 8), (.ms2_5, 6), (.ms5, 4)] as [(FrameDuration, Int)])
    func bridge(frame: FrameDuration, frames: Int) {
        let sound = gap(frame: frame, frames: frames)
        let end = 97_000 + Int64(frames * frame.samples)
        for index in 0..<600 {
            let turn = index % 240
            let back = Int64(turn < 120 ? turn : 239 - turn)
            let fading = max(0, 1 - Float(index) / 480) * (1 - Float(index) / 4_800)
            let expected = NumberedCodec.value(at: end - 1 - back) * fading
            #expect(abs(sound[index] - expected) < 3e-5, "\(index)")
        }
        #expect(sound[480...].allSatisfy { $0 == 0 })
    }
}
