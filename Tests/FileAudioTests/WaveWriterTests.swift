import FileAudio
import Foundation
import Primitives
import Testing

@Suite("recordings")
struct WaveWriterTests {
    @Test("what was placed is read back at its index, on its instant, and gaps are silence")
    func roundTrip() throws {
        let file = TemporaryPath("round.wav")
        let start = Instant(nanoseconds: 123_456_789_012)
        let writer = try WaveWriter(path: file.path, startsAt: start)
        let block = [Float](repeating: 0.5, count: 100)
        writer.place(block, count: 100, stride: 1, at: 50)
        writer.place(block, count: 100, stride: 1, at: 6_000)
        writer.finish()

        let wave = try WaveFile.load(file.path)
        #expect(wave.startsAt == start)
        #expect(wave.samples.count == 6_100)
        #expect(wave.samples[49] == 0)
        #expect(abs(wave.samples[50] - 0.5) < 0.0001)
        #expect(wave.samples[150] == 0)
        #expect(abs(wave.samples[6_099] - 0.5) < 0.0001)
    }

    @Test("of two channels each keeps its own, and a reader of one gets their mean")
    func stereo() throws {
        let file = TemporaryPath("stereo.wav")
        let writer = try WaveWriter(path: file.path, startsAt: .zero, channels: 2)
        let block: [Int16] = [100, 300, 200, 400]
        writer.place(block, count: 2, at: 10)
        writer.finish()
        let bytes = try #require(FileManager.default.contents(atPath: file.path))
        #expect(bytes.count == 60 + 12 * 4)
        #expect([UInt8](bytes[22..<24]) == [2, 0] && [UInt8](bytes.suffix(8)) == [100, 0, 44, 1, 200, 0, 144, 1])
        #expect(try WaveFile.load(file.path).samples.suffix(2) == [200.0 / 32_768, 300.0 / 32_768])
    }

    @Test("the first two channels of interleaved sound are taken, and each side is read by itself")
    func sides() throws {
        let file = TemporaryPath("sides.wav")
        let writer = try WaveWriter(path: file.path, startsAt: .zero, channels: 2)
        writer.place([0.25, -0.5, 9, 0.125, -0.25, 9], count: 2, stride: 3, at: 1)
        writer.finish()
        #expect(try WaveFile.load(file.path, .left).samples == [0, 0.25, 0.125])
        #expect(try WaveFile.load(file.path, .right).samples == [0, -0.5, -0.25])
        #expect(try WaveFile.load(file.path).samples == [0, -0.125, -0.0625])
    }

    @Test("a mono file has one sound on all its sides", arguments: [WaveFile.Side.mean, .left, .right])
    func mono(side: WaveFile.Side) throws {
        let file = TemporaryPath("mono.wav")
        let writer = try WaveWriter(path: file.path, startsAt: .zero)
        writer.place([0.25, 0.5], count: 2, stride: 1, at: 0)
        writer.finish()
        #expect(try WaveFile.load(file.path, side).samples == [0.25, 0.5])
    }

    @Test("the file is whole every second, without being closed")
    func crash() throws {
        let file = TemporaryPath("crash.wav")
        let writer = try WaveWriter(path: file.path, startsAt: .zero)
        let block = [Float](repeating: 0.25, count: 480)
        for index in 0..<150 { writer.place(block, count: 480, stride: 1, at: Int64(index) * 480) }
        // 72,000 samples were placed; the header must speak of at least the first second.
        #expect(48_000 <= (try WaveFile.load(file.path).samples.count))
        writer.finish()
        #expect(try WaveFile.load(file.path).samples.count == 72_000)
    }

    @Test("one channel of interleaved sound is taken, clipped, and NaN is silence")
    func clipping() throws {
        let file = TemporaryPath("clip.wav")
        let writer = try WaveWriter(path: file.path, startsAt: .zero)
        writer.place([9, 0.1, -9, 0.1, .nan, 0.1], count: 3, stride: 2, at: 0)
        writer.finish()
        let samples = try WaveFile.load(file.path).samples
        #expect(samples.map { ($0 * 100).rounded() } == [100, -100, 0])
    }

    @Test("a file that takes no sound is an error, not a trap")
    func refusedHeader() {
        // It is a regular file that takes a number alone.
        let path = "/proc/self/oom_score_adj"
        #expect(throws: WaveError.cannotOpen(path: path, code: EINVAL)) { try WaveWriter(path: path, startsAt: .zero) }
    }

    @Test("a device is no file, also one that takes everything", arguments: ["/dev/null", "/dev/zero", "/dev/full"])
    func device(path: String) {
        #expect(throws: WaveError.noRegularFile(path: path)) { try WaveWriter(path: path, startsAt: .zero) }
    }

    @Test("a pipe is refused at once, whether somebody reads from it or not")
    func pipe() {
        let pipe = TemporaryPath("recorded-pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        #expect(throws: WaveError.noRegularFile(path: pipe.path)) { try WaveWriter(path: pipe.path, startsAt: .zero) }
        let reader = open(pipe.path, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        #expect(0 <= reader)
        #expect(throws: WaveError.noRegularFile(path: pipe.path)) { try WaveWriter(path: pipe.path, startsAt: .zero) }
    }

    @Test("a new file takes no other's place, and is not written through a link that somebody has put there")
    func newFile() throws {
        let (file, link) = (TemporaryPath("new.wav"), TemporaryPath("link.wav"))
        #expect(symlink(file.path, link.path) == 0)
        #expect(throws: WaveError.cannotOpen(path: link.path, code: EEXIST)) {
            try WaveWriter(path: link.path, startsAt: .zero, isNew: true)
        }
        #expect(!FileManager.default.fileExists(atPath: file.path))
        _ = try WaveWriter(path: file.path, startsAt: .zero, isNew: true)
        #expect(throws: WaveError.cannotOpen(path: file.path, code: EEXIST)) {
            try WaveWriter(path: file.path, startsAt: .zero, isNew: true)
        }
    }

    @Test("a file with sound makes room under the next free number, a link stays, and what is no file is left alone")
    func setAside() throws {
        let names = ["aside.wav", "aside-2.wav", "aside-3.wav", "aside-link.wav"].map { TemporaryPath($0) }
        let (file, second, third, link) = (names[0], names[1], names[2], names[3])
        #expect(try WaveWriter.setAside(file.path) == nil)
        #expect(try WaveWriter.setAside("/dev/null") == nil)
        do {
            let writer = try WaveWriter(path: file.path, startsAt: .zero)
            #expect(try WaveWriter.setAside(file.path) == nil, "a header without sound")
            writer.place([0.5], count: 1, stride: 1, at: 0)
            writer.finish()
        }
        #expect(try WaveWriter.setAside(file.path)?.path.hasSuffix("aside-2.wav") == true)
        #expect(try WaveFile.load(second.path).samples == [0.5])
        #expect(!FileManager.default.fileExists(atPath: file.path))
        let text = Data("no sound, but a person's".utf8)
        #expect(FileManager.default.createFile(atPath: file.path, contents: text))
        #expect(symlink(file.path, link.path) == 0)
        #expect(try WaveWriter.setAside(link.path)?.path.hasSuffix("aside-3.wav") == true)
        #expect(FileManager.default.contents(atPath: third.path) == text)
        _ = try WaveWriter(path: link.path, startsAt: .zero)
        #expect(FileManager.default.fileExists(atPath: file.path))
        #expect(FileManager.default.createFile(atPath: file.path, contents: text))
        let others = (4...WaveLimits.asideNumberMax).map { TemporaryPath("aside-\($0).wav") }
        withExtendedLifetime(others) {
            #expect(others.allSatisfy { FileManager.default.createFile(atPath: $0.path, contents: nil) })
            #expect(throws: WaveError.tooManyAside(path: file.path)) { try WaveWriter.setAside(file.path) }
        }
        #expect(FileManager.default.contents(atPath: file.path) == text)
    }

    @Test("a file that made room gets its name back from a recording without sound, and from nothing else")
    func putBack() throws {
        let (file, second) = (TemporaryPath("back.wav"), TemporaryPath("back-2.wav"))
        let text = Data("an earlier show".utf8)
        #expect(FileManager.default.createFile(atPath: file.path, contents: text))
        let kept = try #require(try WaveWriter.setAside(file.path))
        _ = try WaveWriter(path: file.path, startsAt: .zero)
        kept.putBack()
        #expect(FileManager.default.contents(atPath: file.path) == text)
        #expect(!FileManager.default.fileExists(atPath: second.path))

        let again = try #require(try WaveWriter.setAside(file.path))
        again.putBack()
        #expect(FileManager.default.contents(atPath: file.path) == text, "nothing was in its place")

        let last = try #require(try WaveWriter.setAside(file.path))
        let writer = try WaveWriter(path: file.path, startsAt: .zero)
        writer.place([0.5], count: 1, stride: 1, at: 0)
        writer.finish()
        last.putBack()
        #expect(try WaveFile.load(file.path).samples == [0.5])
        #expect(FileManager.default.contents(atPath: second.path) == text)
    }

    @Test("two recordings never have one file, one that runs keeps its name, and a file that comes back stays as it is")
    func inUse() throws {
        let (file, second) = (TemporaryPath("in-use.wav"), TemporaryPath("in-use-2.wav"))
        let inUse = WaveError.inUse(path: file.path)
        let text = Data("an earlier show".utf8)
        #expect(FileManager.default.createFile(atPath: file.path, contents: text))
        #expect(throws: inUse) { try WaveWriter(path: file.path, startsAt: .zero, keepsSound: true) }
        #expect(FileManager.default.contents(atPath: file.path) == text)

        let kept = try #require(try WaveWriter.setAside(file.path))
        let running = try WaveWriter(path: file.path, startsAt: .zero, keepsSound: true)
        #expect(throws: inUse) { try WaveWriter(path: file.path, startsAt: .zero) }
        kept.putBack()
        running.place([0.5], count: 1, stride: 1, at: 0)
        running.finish()
        #expect(throws: inUse) { try WaveWriter.setAside(file.path) }
        #expect(try running.count == 1 && WaveFile.load(file.path).samples == [0.5])
        #expect(FileManager.default.contents(atPath: second.path) == text)
    }

    @Test("a file as long as a header makes room, unless it is the header of a recording without sound")
    func asLongAsHeader() throws {
        let (file, second, third) = (
            TemporaryPath("sixty.wav"), TemporaryPath("sixty-2.wav"), TemporaryPath("sixty-3.wav")
        )
        for channels in 1...2 {
            _ = try WaveWriter(path: file.path, startsAt: Instant(nanoseconds: .max), channels: channels)
            #expect(try WaveWriter.setAside(file.path) == nil)
        }
        #expect(FileManager.default.createFile(atPath: file.path, contents: Data(count: 60)))
        #expect(try WaveWriter.setAside(file.path) == nil, "zeros that a full disk leaves")
        let text = Data(repeating: 0x61, count: 60)
        #expect(FileManager.default.createFile(atPath: file.path, contents: text))
        // A link that leads nowhere takes the name too.
        #expect(symlink("\(second.path)-nowhere", second.path) == 0)
        #expect(try WaveWriter.setAside(file.path)?.path.hasSuffix("sixty-3.wav") == true)
        #expect(FileManager.default.contents(atPath: third.path) == text)
    }

    @Test("a disk that refuses in the middle of a long piece ends the recording; one of a device goes on with new room")
    func refused() throws {
        signal(SIGXFSZ, SIG_IGN)
        let resource = __rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue))
        var former = rlimit()
        #expect(getrlimit(resource, &former) == 0)
        // No other test writes a file of 1 GiB. The one of this test is a hole but for its end.
        var limit = former
        limit.rlim_cur = 1 << 30
        #expect(setrlimit(resource, &limit) == 0)
        defer { setrlimit(resource, &former) }
        let file = TemporaryPath("refused.wav")
        let writer = try WaveWriter(path: file.path, startsAt: .zero)
        let count = 4 * WaveLimits.gatheredSamplesMax
        writer.place(
            [Float](repeating: 0.5, count: count), count: count, stride: 1,
            at: (1 << 29) - Int64(WaveLimits.gatheredSamplesMax))
        writer.finish()
        #expect(writer.stop == .refused(code: EFBIG))
        // What fitted is kept, and the header says so: the size of the data are its last four bytes.
        #expect(try Self.header(file.path).suffix(4) == [0xC4, 0xFF, 0xFF, 0x3F])
        #expect(writer.count == (1 << 29) - 30)

        // A pause makes the file longer until the disk refuses.
        let pause = TemporaryPath("pause.wav")
        let silent = try WaveWriter(path: pause.path, startsAt: .zero, channels: 2)
        silent.lengthen(to: 48_000)
        silent.lengthen(to: 1 << 28)
        silent.finish()
        #expect(silent.stop == .refused(code: EFBIG) && silent.count == 48_000)
        #expect(try WaveFile.load(pause.path).samples.count == 48_000)

        try Self.goesOn { setrlimit(resource, &former) }
    }

    /// The disk refuses the second of five pieces, and has room for the others when it is tried again.
    private static func goesOn(makeRoom: () -> Void) throws {
        let file = TemporaryPath("goes-on.wav")
        let count = WaveLimits.gatheredSamplesMax
        let first = (1 << 29) - 30 - count
        let device = try PacedPlayback(recordingInto: file.path, leadSamples: first, channels: 1)
        let piece = [Float](repeating: 0.5, count: count)
        for _ in 0..<3 { _ = device.write(piece, count: count) }
        #expect(device.recordingStop == .refused(code: EFBIG) && device.lostSamples == Int64(count))
        makeRoom()
        for _ in 0..<2 { _ = device.write(piece, count: count) }
        device.finish()
        #expect(device.recordingStop == nil && device.lostSamples == Int64(count))
        let reader = try WaveReader(file.path)
        #expect(reader.count == first + 5 * count)
        let (second, third) = (first + count, first + 2 * count)
        let edges = try (reader.samples(second - 1..<second + 1), reader.samples(third - 1..<third + 1))
        #expect(edges.0 == [0.5, 0] && edges.1 == [0, 0.5])
    }

    private static func header(_ path: String) throws -> [UInt8] {
        let file = try #require(FileHandle(forReadingAtPath: path))
        return [UInt8](try file.read(upToCount: 60) ?? Data())
    }

    @Test("a file that is made longer holds silence there, and sound that comes late has its place in it")
    func lengthened() throws {
        let file = TemporaryPath("long.wav")
        let writer = try WaveWriter(path: file.path, startsAt: .zero)
        writer.place([0.5], count: 1, stride: 1, at: 0)
        writer.lengthen(to: 50_000)
        // The header of a file that nobody has closed says so.
        #expect(try WaveFile.load(file.path).samples.count == 50_000)
        writer.place([0.25], count: 1, stride: 1, at: 10)
        writer.finish()
        let samples = try WaveFile.load(file.path).samples
        #expect(samples.count == 50_000 && 0.4 < samples[0] && 0.2 < samples[10] && samples[11] == 0)
    }

    @Test("a recording ends where a WAV file can hold no more, and keeps what it has")
    func full() throws {
        let file = TemporaryPath("full.wav")
        let writer = try WaveWriter(path: file.path, startsAt: .zero)
        writer.place([0.5, 0.5], count: 2, stride: 1, at: 0)
        #expect(writer.stop == nil)
        writer.place([0.5, 0.5], count: 2, stride: 1, at: WaveLimits.recordingSamplesMax)
        #expect(writer.stop == .full)
        #expect(try WaveFile.load(file.path).samples.count == 2)
    }
}
