import FileAudio
import Foundation
import Glibc
import Testing

@Suite("WAV files that are read piece by piece")
struct WaveReaderTests {
    /// Two channels of bytes that look like noise.
    private static func noise(rateHertz: Int, frames: Int) -> [UInt8] {
        let data = (0..<4 * frames).map { UInt8(truncatingIfNeeded: $0 * $0 / 7) }
        return WaveBytes.file(WaveBytes.pcm16, channels: 2, rateHertz: rateHertz, data: data)
    }

    private static func place(_ bytes: [UInt8], at path: String) {
        #expect(FileManager.default.createFile(atPath: path, contents: Data(bytes)))
    }

    @Test("pieces of any size are the whole file, at any rate", arguments: [8_000, 44_100, 48_000, 96_000])
    func pieces(rateHertz: Int) throws {
        let bytes = Self.noise(rateHertz: rateHertz, frames: 2_000)
        let file = TemporaryPath("pieces-\(rateHertz).wav")
        Self.place(bytes, at: file.path)
        for side in [WaveFile.Side.mean, .right] {
            let whole = try WaveFile.parse(bytes, path: "x.wav", side).samples
            let reader = try WaveReader(file.path, side)
            var read: [Float] = []
            for size in [1, 7, 100, 640] where read.count + size <= reader.count {
                read += try reader.samples(read.count..<read.count + size)
            }
            read += try reader.samples(read.count..<reader.count)
            #expect(read == whole && reader.count == whole.count)
            #expect(try reader.samples(500..<700) == Array(whole[500..<700]), "from the middle on")
        }
    }

    @Test("a file of any size is read, and is not held in memory")
    func large() throws {
        let bytes = WaveBytes.file(WaveBytes.pcm16, channels: 1, rateHertz: 48_000, data: [0, 64])
        // The last four bytes before the sound say its length.
        var head = Array(bytes.dropLast(2))
        let size = UInt32(WaveLimits.fileBytesMax) + 2
        head.replaceSubrange(head.count - 4..<head.count, with: WaveBytes.little(size))
        let file = TemporaryPath("large.wav")
        Self.place(head + [0, 64], at: file.path)
        // The rest is a hole, which needs no room on the disk.
        #expect(truncate(file.path, off_t(head.count) + off_t(size)) == 0)
        let reader = try WaveReader(file.path)
        #expect(reader.count == Int(size) / 2)
        let (first, last) = try (reader.samples(0..<2), reader.samples(reader.count - 2..<reader.count))
        #expect(first == [0.5, 0] && last == [0, 0])
        #expect(throws: WaveError.tooLarge(path: file.path)) { try WaveFile.load(file.path) }
    }

    @Test("a file that has become shorter is an error where it ends, and not before")
    func shortened() throws {
        let bytes = Self.noise(rateHertz: 48_000, frames: 1_000)
        let file = TemporaryPath("shortened.wav")
        Self.place(bytes, at: file.path)
        let reader = try WaveReader(file.path)
        #expect(truncate(file.path, off_t(bytes.count - 2_000)) == 0)
        #expect(try reader.samples(0..<400).count == 400)
        #expect(throws: WaveError.cannotRead(path: file.path, code: EIO)) { try reader.samples(400..<1_000) }
    }

    @Test("a pipe, a device and a folder are refused at once, also a pipe into which nobody writes")
    func noFiles() {
        let pipe = TemporaryPath("pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        for path in [pipe.path, "/dev/zero"] {
            #expect(throws: WaveError.noRegularFile(path: path)) { try WaveReader(path) }
        }
        #expect(throws: WaveError.cannotOpen(path: "/", code: EISDIR)) { try WaveReader("/") }
    }

    @Test("the sound is looked for behind a thousand chunks at most")
    func chunks() {
        let bytes = WaveBytes.file(WaveBytes.pcm16, channels: 1, rateHertz: 48_000, data: [0, 64])
        let empty = Array("note".utf8) + [0, 0, 0, 0]
        func many(_ count: Int) -> [UInt8] {
            Array(bytes[..<12]) + Array(repeating: empty, count: count).flatMap(\.self) + bytes[12...]
        }
        #expect((try? WaveReader(many(900), path: "x"))?.count == 1)
        #expect(throws: WaveError.notWave(path: "x", missing: "data")) { try WaveReader(many(1_000), path: "x") }
    }
}
