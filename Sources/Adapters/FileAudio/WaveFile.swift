import Glibc
package import Primitives

/// A WAV file in memory: 48 kHz, mono, floats with full scale 1.
package struct WaveFile: Sendable {
    package var samples: [Float]
    /// The instant at which sample 0 sounded, within `WaveLimits.beginnings`. It comes from the chunk `pltm` of
    /// partyline's own recordings, and is nil for other files.
    package var startsAt: Instant?

    package init(samples: [Float], startsAt: Instant?) {
        self.samples = samples
        self.startsAt = startsAt
    }

    /// The channel of a file that becomes mono. A mono file has the same sound on every side.
    package enum Side: Hashable, Sendable {
        /// The mean of all channels.
        case mean
        case left
        case right
    }

    /// Reads a whole file and converts it to 48 kHz mono.
    ///
    /// - Throws: `cannotOpen`, `cannotRead` or `tooLarge`, and the errors of `parse`.
    package static func load(_ path: String, _ side: Side = .mean) throws(WaveError) -> WaveFile {
        try parse(try readBytes(path), path: path, side)
    }

    /// Reads the RIFF chunks (Microsoft, "Multimedia Programming Interface and Data Specifications 1.0"). If a `data`
    /// chunk claims more bytes than there are, as after a crash, it ends with the file.
    ///
    /// - Throws: `notWave`, `codingUnknown` or `outOfRange`.
    package static func parse(
        _ bytes: [UInt8], path: String, _ side: Side = .mean
    ) throws(WaveError) -> WaveFile {
        guard name(bytes, at: 0) == "RIFF", name(bytes, at: 8) == "WAVE" else {
            throw .notWave(path: path, missing: "RIFF/WAVE header")
        }
        var format: WaveFormat?
        var startsAt: Instant?
        var cursor = 12
        while cursor + 8 <= bytes.count {
            let body = cursor + 8
            let size = Int(little(bytes, at: cursor + 4, count: 4))
            let end = min(body + size, bytes.count)
            switch name(bytes, at: cursor) {
            case "fmt ":
                format = try WaveFormat(chunk: bytes[body..<end], path: path)
            case "pltm" where end - body == 8:
                let instant = Instant(nanoseconds: Int64(bitPattern: little(bytes, at: body, count: 8)))
                startsAt = WaveLimits.beginnings.contains(instant) ? instant : nil
            case "data":
                guard let format else { throw .notWave(path: path, missing: "format before its data") }
                return WaveFile(samples: format.decode(bytes[body..<end], side), startsAt: startsAt)
            default:
                break
            }
            cursor = body + size + size % 2
        }
        throw .notWave(path: path, missing: "data")
    }

    private static func readBytes(_ path: String) throws(WaveError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard 0 <= descriptor else { throw .cannotOpen(path: path, code: errno) }
        defer { close(descriptor) }

        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard 0 <= count else { throw .cannotRead(path: path, code: errno) }
            guard 0 < count else { return bytes }
            guard bytes.count + count <= WaveLimits.fileBytesMax else { throw .tooLarge(path: path) }
            bytes.append(contentsOf: piece[..<count])
        }
    }

    private static func name(_ bytes: [UInt8], at index: Int) -> String {
        guard index + 4 <= bytes.count else { return "" }
        return String(decoding: bytes[index..<index + 4], as: UTF8.self)
    }

    private static func little(_ bytes: [UInt8], at index: Int, count: Int) -> UInt64 {
        littleEndian(bytes[index..<index + count])
    }
}

func littleEndian(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
}
