import Testing
import Voice

@Suite("The level of spoken words")
struct SpokenLevelTests {
    /// A square wave of this amplitude for 0.4 s in each 0.6 s, with noise of -60 dBFS between.
    private func words(_ amplitude: Float, seconds: Double = 3) -> [Float] {
        (0..<Int(seconds * 48_000)).map { index in
            let isWord = index % 28_800 < 19_200
            return (isWord ? amplitude : 0.001) * (index / 48 % 2 == 0 ? 1 : -1)
        }
    }

    private func level(_ samples: [Float]) -> SpokenLevel { samples.withUnsafeBufferPointer { SpokenLevel($0) } }

    @Test(
        "speech is good from the level on that listeners can bring to the common loudness",
        arguments: zip(
            [0.0168, 0.0188, 0.1, 0.9] as [Float],
            [.tooQuiet, .good, .good, .good] as [SpokenLevel.Verdict]))
    func bounds(amplitude: Float, verdict: SpokenLevel.Verdict) throws {
        let level = level(words(amplitude))
        let power = Decibels.ofPower(amplitude * amplitude, floor: -100)
        #expect(level.verdict == verdict)
        #expect(abs(try #require(level.speechDecibels) - power) < 0.1)
        #expect(abs(level.peakDecibels - power) < 0.1)
    }

    @Test("a room without words is silent, and so is a click, and no sound at all")
    func silent() {
        var click = words(0.001)
        click[1_000] = 0.9
        for samples in [words(0.001), words(0), click, []] {
            #expect(level(samples).verdict == .silent && level(samples).speechDecibels == nil)
        }
    }

    @Test("three samples in a row at full scale are clipping; two are not, nor are single ones")
    func clipping() {
        var samples = words(0.1)
        for index in stride(from: 0, to: 1_000, by: 3) { (samples[index], samples[index + 1]) = (-1, -0.9995) }
        #expect(level(samples).verdict == .good)
        samples[2] = -0.9995
        #expect(level(samples).verdict == .clipping)
        #expect(level(words(1)).verdict == .clipping)
    }
}
