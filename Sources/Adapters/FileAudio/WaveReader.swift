package import Primitives

/// A WAV file that is read piece by piece while it is played, as 48 kHz mono with full scale 1. So hours of sound need
/// no more memory than seconds.
package final class WaveReader: Sendable {
    /// The number of its samples.
    package let count: Int
    /// As `WaveFile.startsAt`.
    package let startsAt: Instant?
    private let source: WaveSource
    private let side: WaveFile.Side
    private let format: WaveFormat
    private let resampling: Resampling
    /// The place of its sound in the file. An incomplete last sample is not in it.
    private let data: Range<Int>

    /// Opens a file, and reads the chunks before its sound.
    ///
    /// - Throws: `cannotOpen`, `noRegularFile`, `cannotRead`, `empty`, `notWave`, `codingUnknown` or `outOfRange`.
    package convenience init(_ path: String, _ side: WaveFile.Side = .mean) throws(WaveError) {
        try self.init(try WaveSource(path), side)
    }

    /// Reads a file that is in memory already.
    /// - Throws: `empty`, `notWave`, `codingUnknown` or `outOfRange`.
    package convenience init(_ bytes: [UInt8], path: String, _ side: WaveFile.Side = .mean) throws(WaveError) {
        try self.init(WaveSource(bytes, path: path), side)
    }

    init(_ source: WaveSource, _ side: WaveFile.Side) throws(WaveError) {
        let layout = try WaveLayout(source)
        let frames = layout.data.count / layout.format.frameBytes
        (self.source, self.side, format, startsAt) = (source, side, layout.format, layout.startsAt)
        data = layout.data.lowerBound..<layout.data.lowerBound + frames * layout.format.frameBytes
        let resampling = Resampling(fromHertz: layout.format.rateHertz)
        self.resampling = resampling
        count = resampling.count(of: frames)
    }

    /// The samples of a range within `count`. May wait for the disk.
    /// - Throws: `cannotRead`.
    package func samples(_ range: Range<Int>) throws(WaveError) -> [Float] {
        precondition(0 <= range.lowerBound && range.upperBound <= count, "samples \(range) of \(count)")
        guard !range.isEmpty else { return [] }
        let needed = resampling.input(for: range).clamped(to: 0..<data.count / format.frameBytes)
        let first = data.lowerBound + needed.lowerBound * format.frameBytes
        let bytes = try source.bytes(first..<first + needed.count * format.frameBytes)
        return resampling.output(range, of: format.decode(bytes, side), startingAt: needed.lowerBound)
    }
}

/// The contents of the chunks of a WAV file, and the place of its sound (Microsoft, "Multimedia Programming Interface
/// and Data Specifications 1.0").
struct WaveLayout {
    let format: WaveFormat
    /// The body of the `data` chunk. If the chunk claims more bytes than there are, as after a crash, it ends with the
    /// file.
    let data: Range<Int>
    let startsAt: Instant?

    /// - Throws: `cannotRead`, `empty`, `notWave`, `codingUnknown` or `outOfRange`.
    init(_ source: WaveSource) throws(WaveError) {
        let path = source.path
        guard 0 < source.count else { throw .empty(path: path) }
        let head = try source.bytes(0..<min(12, source.count))
        guard WaveLayout.name(head[...]) == "RIFF", WaveLayout.name(head.dropFirst(8)) == "WAVE" else {
            throw .notWave(path: path, missing: "RIFF/WAVE header")
        }
        var (format, startsAt, data): (WaveFormat?, Instant?, Range<Int>?) = (nil, nil, nil)
        var (cursor, chunks) = (12, 0)
        while data == nil, cursor + 8 <= source.count, chunks < WaveLimits.chunksMax {
            let head = try source.bytes(cursor..<cursor + 8)
            let body = cursor + 8
            let size = Int(littleEndian(head[4..<8]))
            let end = min(body + size, source.count)
            switch WaveLayout.name(head[...]) {
            case "fmt ":
                let chunk = try source.bytes(body..<min(end, body + WaveLimits.formatBytesMax))
                format = try WaveFormat(chunk: chunk[...], path: path)
            case "pltm" where end - body == 8:
                let nanoseconds = littleEndian(try source.bytes(body..<end)[...])
                let instant = Instant(nanoseconds: Int64(bitPattern: nanoseconds))
                startsAt = WaveLimits.beginnings.contains(instant) ? instant : nil
            case "data":
                guard format != nil else { throw .notWave(path: path, missing: "format before its data") }
                data = body..<end
            default:
                break
            }
            cursor = body + size + size % 2
            chunks += 1
        }
        guard let format, let data else { throw .notWave(path: path, missing: "data") }
        (self.format, self.data, self.startsAt) = (format, data, startsAt)
    }

    /// The name at the beginning of some bytes; empty if they are too few.
    private static func name(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.count < 4 ? "" : String(decoding: bytes.prefix(4), as: UTF8.self)
    }
}
