import Glibc
package import Primitives

/// A WAV file in memory: 48 kHz, mono, floats with full scale 1.
package struct WaveFile: Sendable {
    package var samples: [Float]
    /// The instant at which sample 0 sounded, within `WaveLimits.beginnings`. It comes from the chunk `pltm` of
    /// partyline's own recordings, and is nil for other files.
    package var startsAt: Instant?

    /// The channel of a file that becomes mono. A mono file has the same sound on every side.
    package enum Side: Hashable, Sendable {
        /// The mean of all channels.
        case mean
        case left
        case right
    }

    /// Reads a whole file and converts it to 48 kHz mono.
    ///
    /// - Throws: `cannotOpen`, `noRegularFile`, `cannotRead` or `tooLarge`, and the errors of `parse`.
    package static func load(_ path: String, _ side: Side = .mean) throws(WaveError) -> WaveFile {
        let source = try WaveSource(path)
        guard source.count <= WaveLimits.fileBytesMax else { throw .tooLarge(path: path) }
        return try WaveFile(reading: WaveReader(source, side))
    }

    /// Reads a file that is in memory.
    ///
    /// - Throws: `empty`, `notWave`, `codingUnknown` or `outOfRange`.
    package static func parse(
        _ bytes: [UInt8], path: String, _ side: Side = .mean
    ) throws(WaveError) -> WaveFile {
        try WaveFile(reading: WaveReader(bytes, path: path, side))
    }

    private init(reading reader: WaveReader) throws(WaveError) {
        samples = []
        samples.reserveCapacity(reader.count)
        while samples.count < reader.count {
            let first = samples.count
            samples += try reader.samples(first..<min(first + WaveLimits.pieceSamples, reader.count))
        }
        startsAt = reader.startsAt
    }
}

/// The reason why a WAV file cannot be read or recorded into.
package enum WaveError: Error, Hashable, Sendable {
    case cannotOpen(path: String, code: Int32)
    case cannotRead(path: String, code: Int32)
    /// There is a pipe or a device at the path. It may block for ever, and has no places to read from or write to.
    case noRegularFile(path: String)
    /// Another recording writes into the file, or another file got this name while the recording began.
    case inUse(path: String)
    /// The file is not empty, and cannot be renamed.
    case cannotSetAside(path: String, code: Int32)
    /// The file is not empty, and no number is free for its new name.
    case tooManyAside(path: String)
    case tooLarge(path: String)
    case empty(path: String)
    /// The file has no RIFF/WAVE header, no `fmt ` chunk or no `data` chunk.
    case notWave(path: String, missing: String)
    /// The samples are neither 16, 24 or 32-bit integers nor 32-bit floats.
    case codingUnknown(path: String, tag: Int, bits: Int)
    case outOfRange(path: String, rateHertz: Int, channels: Int)
}

extension WaveError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .cannotOpen(let path, let code): "cannot open \(path): \(errorText(code))"
        case .cannotRead(let path, let code): "cannot read \(path): \(errorText(code))"
        case .noRegularFile(let path): "cannot use \(path): it is a pipe or a device, and not a regular file"
        case .inUse(let path): "cannot use \(path): another recording has it"
        case .cannotSetAside(let path, let code): "cannot keep the earlier \(path) aside: \(errorText(code))"
        case .tooManyAside(let path):
            "cannot keep the earlier \(path) aside: files beside it have all numbers up to \(WaveLimits.asideNumberMax)"
        case .tooLarge(let path): "\(path) is larger than \(WaveLimits.fileBytesMax >> 20) MiB"
        case .empty(let path): "\(path) is empty"
        case .notWave(let path, let missing): "\(path) is not a WAV file: it has no \(missing)"
        case .codingUnknown(let path, let tag, let bits):
            "\(path) is coded as format \(tag) with \(bits) bits; expected 16, 24 or 32-bit PCM or 32-bit float"
        case .outOfRange(let path, let rate, let channels):
            "\(path) has \(channels) channels at \(rate) Hz; expected 1 to \(WaveLimits.channelsMax) channels at "
                + "\(WaveLimits.rateHertzMin) to \(WaveLimits.rateHertzMax) Hz"
        }
    }
}

func littleEndian(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
}

/// The `fmt ` chunk of a WAV file, and the conversion of its samples to mono.
struct WaveFormat {
    private enum Coding { case int16, int24, int32, float32 }

    private let coding: Coding
    private let channels: Int
    let rateHertz: Int

    init(chunk: ArraySlice<UInt8>, path: String) throws(WaveError) {
        guard 16 <= chunk.count else { throw .notWave(path: path, missing: "complete format") }
        func field(_ offset: Int, _ count: Int) -> Int {
            Int(littleEndian(chunk[chunk.startIndex + offset..<chunk.startIndex + offset + count]))
        }
        let bits = field(14, 2)
        // WAVE_FORMAT_EXTENSIBLE has the true tag in the first two bytes of its GUID.
        let tag = field(0, 2) == 0xFFFE && 26 <= chunk.count ? field(24, 2) : field(0, 2)
        switch (tag, bits) {
        case (1, 16): coding = .int16
        case (1, 24): coding = .int24
        case (1, 32): coding = .int32
        case (3, 32): coding = .float32
        default: throw .codingUnknown(path: path, tag: tag, bits: bits)
        }
        channels = field(2, 2)
        rateHertz = field(4, 4)
        guard 1...WaveLimits.channelsMax ~= channels,
            WaveLimits.rateHertzMin...WaveLimits.rateHertzMax ~= rateHertz
        else { throw .outOfRange(path: path, rateHertz: rateHertz, channels: channels) }
    }

    /// The bytes of one sample of all channels.
    var frameBytes: Int { channels * sampleBytes }

    /// One side of the sound, at the rate of the file.
    func decode(_ data: [UInt8], _ side: WaveFile.Side) -> [Float] {
        data.withUnsafeBytes { bytes in
            let count = bytes.count / frameBytes
            return [Float](unsafeUninitializedCapacity: count) { mono, initialized in
                for index in 0..<count { mono[index] = value(bytes, at: index, side) }
                initialized = count
            }
        }
    }

    private var sampleBytes: Int {
        switch coding {
        case .int16: 2
        case .int24: 3
        case .int32, .float32: 4
        }
    }

    private func value(_ bytes: UnsafeRawBufferPointer, at index: Int, _ side: WaveFile.Side) -> Float {
        switch side {
        case .mean: mean(bytes, at: index)
        case .left: sample(bytes, at: index * channels * sampleBytes)
        case .right: sample(bytes, at: (index * channels + min(1, channels - 1)) * sampleBytes)
        }
    }

    private func mean(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Float {
        var sum: Float = 0
        for channel in 0..<channels { sum += sample(bytes, at: (index * channels + channel) * sampleBytes) }
        return sum / Float(channels)
    }

    private func sample(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Float {
        switch coding {
        case .int16:
            return Float(Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int16.self))) * 0x1p-15
        case .int24:
            let low = Int32(bytes[offset]) | Int32(bytes[offset + 1]) << 8
            return Float(low | Int32(Int8(bitPattern: bytes[offset + 2])) << 16) * 0x1p-23
        case .int32:
            return Float(Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self))) * 0x1p-31
        case .float32:
            let bits = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            let value = Float(bitPattern: bits)
            return value.isFinite ? min(WaveLimits.sampleMax, max(-WaveLimits.sampleMax, value)) : 0
        }
    }
}

func errorText(_ code: Int32) -> String { String(cString: strerror(code)) }
