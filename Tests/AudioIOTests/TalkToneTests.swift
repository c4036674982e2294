import AudioIO
import Testing

#if canImport(Glibc)
import Glibc
#endif

@Suite("the tone of the own talk")
struct TalkToneTests {
    /// A note of 2,880 samples at -30 dBFS, which rises and falls linearly over 480 samples.
    private static func note(_ kind: TalkTone.Kind) -> [Float] {
        let hertz = kind == .begun ? 880.0 : 440.0
        return (0..<2_880).map { place in
            let wave = sin(2 * .pi * hertz * Double(place + 1) / 48_000)
            return Float(0.0316 * wave * Double(min(480, place, 2_879 - place)) / 480)
        }
    }

    /// What `tone` adds to `count` samples of silence, in blocks of 240.
    private static func heard(_ tone: inout TalkTone, count: Int, channels: Int = 1) -> [Float] {
        var samples: [Float] = []
        while samples.count < count * channels {
            var block = [Float](repeating: 0, count: 240 * channels)
            tone.add(to: &block, count: 240, channels: channels)
            samples += block
        }
        return samples
    }

    private static func isEqual(_ one: some Sequence<Float>, _ other: some Sequence<Float>) -> Bool {
        zip(one, other).allSatisfy { abs($0 - $1) < 1e-4 }
    }

    @Test("one note is added to each channel, a lower one when the talk ends", arguments: [1, 2])
    func notes(channels: Int) {
        for kind in [TalkTone.Kind.begun, .ended] {
            var tone = TalkTone()
            tone.start(kind)
            let samples = Self.heard(&tone, count: 4_800, channels: channels)
            for channel in 0..<channels {
                let own = stride(from: channel, to: samples.count, by: channels).map { samples[$0] }
                #expect(Self.isEqual(own, Self.note(kind) + [Float](repeating: 0, count: 1_920)))
            }
            #expect(!tone.isSounding)
        }
    }

    @Test("a tone that comes while another sounds follows it without a click, and takes the place of one that waits")
    func waits() {
        var tone = TalkTone()
        tone.start(.begun)
        var samples = Self.heard(&tone, count: 960)
        tone.start(.begun)
        tone.start(.ended)
        samples += Self.heard(&tone, count: 9_600)
        #expect(Self.isEqual(samples, Self.note(.begun) + Self.note(.ended) + [Float](repeating: 0, count: 4_800)))
        #expect(!tone.isSounding)
    }
}
