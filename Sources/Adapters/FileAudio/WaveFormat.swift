/// The `fmt ` chunk of a WAV file, and the conversion of its samples to 48 kHz mono.
struct WaveFormat {
    private enum Coding { case int16, int24, int32, float32 }

    private let coding: Coding
    private let channels: Int
    private let rateHertz: Int

    init(chunk: ArraySlice<UInt8>, path: String) throws(WaveError) {
        guard 16 <= chunk.count else { throw .notWave(path: path, missing: "whole format") }
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

    /// One side of the sound, at 48 kHz. An incomplete last sample is dropped.
    func decode(_ data: ArraySlice<UInt8>, _ side: WaveFile.Side) -> [Float] {
        let mono = data.withUnsafeBytes { bytes in
            let count = bytes.count / (channels * sampleBytes)
            return [Float](unsafeUninitializedCapacity: count) { mono, initialized in
                for index in 0..<count { mono[index] = value(bytes, at: index, side) }
                initialized = count
            }
        }
        return Resampling(fromHertz: rateHertz).resample(mono)
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
