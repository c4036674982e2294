import AudioIO
import Glibc
import Handover
import Primitives
import Testing

@Suite("echo between the audio threads")
struct EchoPathTests {
    private static let start = Instant(nanoseconds: 4_000_000_000)

    /// Syllables of smooth noise at about -20 dBFS.
    private func voice(_ count: Int) -> [Float] {
        var random = SeededRandom(seed: 8)
        var smooth: Float = 0
        return (0..<count).map { index in
            let noise = Float(random.below(1 << 20)) / Float(1 << 19) - 1
            smooth += (noise - smooth) * 0.3
            return 0.5 * smooth * Float(max(0, sin(2 * .pi * Double(index) / 12_000)))
        }
    }

    /// The number of dB by which the path lowers the last four seconds of the echo.
    private func loss(period: Int) -> Double {
        let ring = FrameRing(capacity: 64, slotBytesMax: 3_840)
        let path = EchoPath(reference: ring)
        let producer = ring.takeProducer()
        let far = voice(10 * 48_000)
        var random = SeededRandom(seed: 9)
        var (before, after, played) = (Float(0), Float(0), 0)
        for start in stride(from: 0, to: far.count - 2_000, by: period) {
            // Playback is 5 ms ahead of the sound, and its thread reports the instant up to 0.5 ms late.
            while played + 60 <= start + period + 240 {
                let playsAt = Self.start + Interval(samples: played + Int(random.below(24)))
                Array(far[played..<(played + 60)]).withUnsafeBytes {
                    _ = producer.push(RingHeader(kind: 0, instant: playsAt), $0)
                }
                played += 60
            }
            // 40 ms through the room, and a reflection.
            var samples = (start..<(start + period)).map { index -> Float in
                let direct = 1_920 <= index ? far[index - 1_920] : 0
                let reflected = 2_700 <= index ? far[index - 2_700] : 0
                return 0.4 * direct - 0.15 * reflected
            }
            let isLate = 6 * 48_000 <= start
            if isLate { before += samples.reduce(0) { $0 + $1 * $1 } }
            samples.withUnsafeMutableBufferPointer { block in
                guard let base = block.baseAddress else { return }
                path.process(base, count: period, capturedAt: Self.start + Interval(samples: start))
            }
            if isLate { after += samples.reduce(0) { $0 + $1 * $1 } }
        }
        #expect(ring.refusedCount == 0)
        return Double(10 * log10(before / max(after, 1e-9)))
    }

    @Test("the echo of a far voice is lowered by at least 15 dB", arguments: [120, 221, 240, 480, 960])
    func echo(period: Int) {
        let loss = self.loss(period: period)
        #expect(15 <= loss, "\(loss) dB")
    }
}
