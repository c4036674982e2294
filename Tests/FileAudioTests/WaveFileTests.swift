import FileAudio
import Primitives
import Testing

@Suite("WAV files")
struct WaveFileTests {
    @Test(
        "every coding of half of full scale reads as one half",
        arguments: [
            WaveBytes.Coding(tag: 1, bits: 16, half: [0x00, 0x40]),
            WaveBytes.Coding(tag: 1, bits: 24, half: [0x00, 0x00, 0x40]),
            WaveBytes.Coding(tag: 1, bits: 32, half: [0x00, 0x00, 0x00, 0x40]),
            WaveBytes.Coding(tag: 3, bits: 32, half: [0x00, 0x00, 0x00, 0x3F]),
        ])
    func codings(coding: WaveBytes.Coding) throws {
        let bytes = WaveBytes.file(coding, channels: 1, rateHertz: 48_000, data: coding.half + coding.half)
        let wave = try WaveFile.parse(bytes, path: "x.wav")
        #expect(wave.samples == [0.5, 0.5])
        #expect(wave.startsAt == nil)
    }

    @Test("channels become their mean")
    func channels() throws {
        let coding = WaveBytes.pcm16
        let bytes = WaveBytes.file(coding, channels: 2, rateHertz: 48_000, data: coding.half + [0, 0])
        #expect(try WaveFile.parse(bytes, path: "x.wav").samples == [0.25])
    }

    @Test("a tone keeps its pitch and level from any rate", arguments: [8_000, 22_050, 44_100, 96_000])
    func resampling(rateHertz: Int) throws {
        let data = (0..<rateHertz).flatMap { index -> [UInt8] in
            let value = Int16(16_384 * sine(turns: Double(index) * 1_000 / Double(rateHertz)))
            return [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
        }
        let bytes = WaveBytes.file(WaveBytes.pcm16, channels: 1, rateHertz: rateHertz, data: data)
        let samples = try WaveFile.parse(bytes, path: "x.wav").samples
        #expect(samples.count == 48_000)
        for index in 1_000..<47_000 {
            let expected = Float(0.5 * sine(turns: Double(index) * 1_000 / 48_000))
            #expect(abs(samples[index] - expected) < 0.005, "sample \(index)")
            if 0.005 <= abs(samples[index] - expected) { return }
        }
    }

    @Test("a data chunk that claims more than there is ends with the file")
    func truncated() throws {
        let bytes = WaveBytes.file(WaveBytes.pcm16, channels: 1, rateHertz: 48_000, data: [0, 64, 0, 64, 0])
        #expect(try WaveFile.parse(Array(bytes.dropLast(1)), path: "x.wav").samples == [0.5, 0.5])
    }

    @Test("no prefix of a file and no single changed byte of its head traps")
    func strangers() {
        let whole = WaveBytes.file(WaveBytes.pcm16, channels: 1, rateHertz: 44_100, data: [0, 64, 0, 64])
        for count in 0..<whole.count { _ = try? WaveFile.parse(Array(whole[..<count]), path: "x.wav") }
        for index in whole.indices {
            for value: UInt8 in [0, 1, 0x7F, 0xFF] {
                var bytes = whole
                bytes[index] = value
                _ = try? WaveFile.parse(bytes, path: "x.wav")
            }
        }
    }

    @Test("channels of the loudest floats stay finite", arguments: [44_100, 48_000])
    func loudest(rateHertz: Int) throws {
        let loudest = WaveBytes.little(Float.greatestFiniteMagnitude.bitPattern)
        let coding = WaveBytes.Coding(tag: 3, bits: 32, half: [])
        let data = Array(repeating: loudest, count: 8 * 64).flatMap(\.self)
        let bytes = WaveBytes.file(coding, channels: 8, rateHertz: rateHertz, data: data)
        let samples = try WaveFile.parse(bytes, path: "x.wav").samples
        #expect(!samples.isEmpty && samples.allSatisfy(\.isFinite))
    }

    @Test("a recording that began at an impossible time has no beginning", arguments: [Int64.min, -1, .max])
    func beginnings(nanoseconds: Int64) throws {
        let bytes = WaveBytes.file(
            WaveBytes.pcm16, channels: 1, rateHertz: 48_000, data: [0, 64], startsAtNanoseconds: nanoseconds)
        #expect(try WaveFile.parse(bytes, path: "x.wav").startsAt == nil)
        let sound = WaveBytes.file(
            WaveBytes.pcm16, channels: 1, rateHertz: 48_000, data: [0, 64], startsAtNanoseconds: 1_000)
        #expect(try WaveFile.parse(sound, path: "x.wav").startsAt == Instant(nanoseconds: 1_000))
    }

    @Test("what is no WAV file is refused by name")
    func refusals() {
        #expect(throws: WaveError.notWave(path: "x", missing: "RIFF/WAVE header")) {
            try WaveFile.parse(Array("OggS".utf8), path: "x")
        }
        #expect(throws: WaveError.empty(path: "x")) { try WaveFile.parse([], path: "x") }
        let eight = WaveBytes.file(.init(tag: 1, bits: 8, half: [64]), channels: 1, rateHertz: 48_000, data: [1])
        #expect(throws: WaveError.codingUnknown(path: "x", tag: 1, bits: 8)) { try WaveFile.parse(eight, path: "x") }
        let fast = WaveBytes.file(WaveBytes.pcm16, channels: 1, rateHertz: 400_000, data: [1, 1])
        #expect(throws: WaveError.outOfRange(path: "x", rateHertz: 400_000, channels: 1)) {
            try WaveFile.parse(fast, path: "x")
        }
        #expect(throws: WaveError.cannotOpen(path: "/nowhere/x.wav", code: 2)) {
            try WaveFile.load("/nowhere/x.wav")
        }
    }

    @Test("each reason names the path, in one sentence")
    func sentences() {
        let told: [WaveError] = [
            .cannotOpen(path: "/a.wav", code: 2), .cannotOpen(path: "/a.wav", code: 21), .empty(path: "/a.wav"),
            .noRegularFile(path: "/a.wav"), .notWave(path: "/a.wav", missing: "RIFF/WAVE header"),
        ]
        #expect(
            told.map(\.description) == [
                "cannot open /a.wav: No such file or directory", "cannot open /a.wav: Is a directory",
                "/a.wav is empty", "cannot use /a.wav: it is a pipe or a device, and not a regular file",
                "/a.wav is not a WAV file: it has no RIFF/WAVE header",
            ])
    }
}
