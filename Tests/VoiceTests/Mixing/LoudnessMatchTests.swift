import Testing
import Voice

@Suite struct LoudnessMatchTests {
    /// Words of 0.4 s and pauses of 0.2 s, for this many seconds.
    private func speak(_ match: inout LoudnessMatch, power: Float, pause: Float = 1e-8, seconds: Int) {
        for block in 0..<(seconds * 200) { match.measure(power: block % 120 < 80 ? power : pause, count: 240) }
    }

    private func decibels(_ factor: Float) -> Float { 2 * Decibels.ofPower(factor, floor: -100) }

    @Test(
        "speech is matched to -23 dBFS, by 12 dB at most",
        arguments: [(-35.0, 12.0), (-29, 6), (-23, 0), (-17, -6), (-5, -12)])
    func target(level: Double, expected: Double) {
        var match = LoudnessMatch()
        speak(&match, power: Self.power(level), seconds: 20)
        #expect(abs(Double(decibels(match.gain)) - expected) < 0.5)
    }

    @Test("silence and noise between words do not change the gain")
    func silence() {
        var match = LoudnessMatch()
        speak(&match, power: Self.power(-29), pause: Self.power(-48), seconds: 20)
        let before = decibels(match.gain)
        #expect(abs(before - 6) < 0.6)
        for _ in 0..<(60 * 200) { match.measure(power: 1e-7, count: 240) }
        #expect(decibels(match.gain) == before)
    }

    @Test("the gain follows a talker that stays quieter")
    func quieter() {
        var match = LoudnessMatch()
        speak(&match, power: Self.power(-15), seconds: 20)
        speak(&match, power: Self.power(-30), seconds: 60)
        #expect(abs(decibels(match.gain) - 7) < 1)
    }

    @Test("the noise of an open microphone does not change the gain, before the first words or after the last ones")
    func openMicrophone() {
        var match = LoudnessMatch()
        func listen() { for _ in 0..<(60 * 200) { match.measure(power: Self.power(-45), count: 240) } }
        listen()
        #expect(match.gain == 1)
        speak(&match, power: Self.power(-23), pause: Self.power(-45), seconds: 20)
        #expect(abs(decibels(match.gain)) < 0.2)
        listen()
        #expect(abs(decibels(match.gain)) < 0.2)
    }

    private static func power(_ decibels: Double) -> Float {
        // 10^(x/10), in steps of a decibel.
        (0..<Int(-decibels)).reduce(Float(1)) { power, _ in power * 0.794328 }
    }
}

@Suite("The level of spoken words")
struct SpokenLevelTests {
    /// A square wave of this amplitude for 0.4 s in each 0.6 s of 3 s, with noise of -60 dBFS between.
    private func words(_ amplitude: Float) -> [Float] {
        (0..<144_000).map { index in
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
