import Foundation
import OpusCodec
import Primitives
import Voice
import Wire

/// A second that sounds enough like a voice to cost an encoder what a voice does: a gliding tone
/// with harmonics, breath, and four syllables a second.
enum Speech {
    /// 5 ms, the frame of the default profile.
    static let frameSamples = VoiceProfile.low.frame.samples
    static let frameCount = SampleTime.rateHertz / frameSamples

    static let samples: [Float] = {
        var random = SeededRandom(seed: 1)
        return (0..<SampleTime.rateHertz).map { index in
            let t = Double(index) / Double(SampleTime.rateHertz)
            let syllable = 0.55 - 0.45 * cos(2 * .pi * 4 * t)
            let pitch = 2 * .pi * (120 * t + 30 * t * t)
            let harmonics = (1...12).reduce(0.0) { $0 + sin(Double($1) * pitch) / Double($1) }
            let breath = Double(random.below(2_001)) / 1_000 - 1
            return Float(0.15 * syllable * (harmonics + 0.15 * breath))
        }
    }()

    /// The same second, coded by the default profile.
    static func frames() throws -> [[UInt8]] {
        let encoder = try VoiceEncoder.opus(profile: .low)
        defer { encoder.destroy(encoder.state) }
        var bytes = [UInt8](repeating: 0, count: VoiceLimits.frameBytesMax)
        return samples.withUnsafeBufferPointer { samples in
            (0..<frameCount).map { number in
                guard let frame = samples.baseAddress.map({ $0 + number * frameSamples }) else { return [] }
                let written = encoder.encode(
                    encoder.state, frame, Int32(frameSamples), &bytes, Int32(VoiceLimits.frameBytesMax))
                return Array(bytes.prefix(Int(written)))
            }
        }
    }

    /// A frame as one talker's voice payload, the `number`th of its talk spurt.
    static func payload(_ frame: [UInt8], number: Int) -> [UInt8] {
        Array(unsafeUninitializedCapacity: WireLimits.voicePayloadBytesMax) { buffer, count in
            let header = VoicePayloadHeader(
                flags: number == 0 ? .spurtStart : [], address: VoiceAddress(label: .place(0), generation: 1), spurt: 1,
                sampleTime: SampleTime(samples: UInt32(truncatingIfNeeded: number * frameSamples)), bundling: .single)
            var writer = VoicePayloadWriter(into: UnsafeMutableRawBufferPointer(buffer), header: header)
            let fits = frame.withUnsafeBytes {
                writer.append(VoiceBlock(age: 0, duration: VoiceProfile.low.frame, sound: $0))
            }
            precondition(fits, "a frame of \(frame.count) bytes")
            count = writer.byteCount
        }
    }
}
