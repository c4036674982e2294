import AlsaAudio
import Testing

@Suite("device sample formats")
struct AlsaSampleFormatTests {
    @Test("sound survives the way to a device and back", arguments: AlsaSampleFormat.allCases)
    func roundTrip(format: AlsaSampleFormat) {
        let sound: [Float] = [0, 0.5, -0.5, 0.25, -1, 0.999]
        var device = [UInt8](repeating: 0xAA, count: sound.count * format.bytes)
        var back = [Float](repeating: 9, count: sound.count)
        device.withUnsafeMutableBytes { bytes in
            guard let memory = bytes.baseAddress else { return }
            format.encode(sound, into: memory, count: sound.count)
            format.decode(memory, channels: 1, into: &back, count: sound.count)
        }
        for (heard, meant) in zip(back, sound) { #expect(abs(heard - meant) < 0.0001) }
    }

    @Test("stereo becomes its mean", arguments: AlsaSampleFormat.allCases)
    func mean(format: AlsaSampleFormat) {
        let sound: [Float] = [0.5, 0, -0.5, -0.25]
        var device = [UInt8](repeating: 0, count: 4 * format.bytes)
        var mono: [Float] = [9, 9]
        device.withUnsafeMutableBytes { bytes in
            guard let memory = bytes.baseAddress else { return }
            format.encode(sound, into: memory, count: 4)
            format.decode(memory, channels: 2, into: &mono, count: 2)
        }
        #expect(abs(mono[0] - 0.25) < 0.0001 && abs(mono[1] + 0.375) < 0.0001)
    }

    @Test("too loud is cut at full scale, NaN is silence", arguments: [AlsaSampleFormat.int32, .int16])
    func clipping(format: AlsaSampleFormat) {
        let sound: [Float] = [7, -7, .nan, .infinity]
        var device = [UInt8](repeating: 0, count: 4 * format.bytes)
        var back: [Float] = [9, 9, 9, 9]
        device.withUnsafeMutableBytes { bytes in
            guard let memory = bytes.baseAddress else { return }
            format.encode(sound, into: memory, count: 4)
            format.decode(memory, channels: 1, into: &back, count: 4)
        }
        #expect(back.map { $0.rounded() } == [1, -1, 0, 1])
    }

    @Test("no NaN of a device gets past its door")
    func captureNotFinite() {
        let device: [Float] = [.nan, .infinity, 0.5]
        var mono: [Float] = [9, 9, 9]
        device.withUnsafeBytes { AlsaSampleFormat.float32.decode($0.baseAddress!, channels: 1, into: &mono, count: 3) }
        #expect(mono == [0, 0, 0.5])
    }
}
