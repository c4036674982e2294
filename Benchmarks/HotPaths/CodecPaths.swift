import Benchmark
import COpus
import OpusCodec
import Primitives
import Voice

/// A second of speech, frame by frame, into libopus itself, set up as `OpusCodec` does.
final class PlainEncoding: HotPath {
    let turns = Speech.frameCount
    private let encoder: OpaquePointer
    private let samples = Speech.samples
    private var bytes = [UInt8](repeating: 0, count: VoiceLimits.frameBytesMax)
    private var next = 0

    init() throws {
        var code: Int32 = OPUS_OK
        guard
            let encoder = opus_encoder_create(
                Int32(SampleTime.rateHertz), 1, OPUS_APPLICATION_RESTRICTED_LOWDELAY, &code)
        else { throw OpusError.encoder(code: code) }
        self.encoder = encoder
        let profile = VoiceProfile.low
        _ = partyline_opus_encoder_set_bitrate(encoder, Int32(profile.bitsPerSecond))
        _ = partyline_opus_encoder_set_complexity(encoder, Int32(profile.complexity))
        _ = partyline_opus_encoder_set_vbr(encoder, 1)
        _ = partyline_opus_encoder_set_signal_voice(encoder)
    }

    deinit { opus_encoder_destroy(encoder) }

    func turn() {
        samples.withUnsafeBufferPointer { samples in
            guard let frame = samples.baseAddress.map({ $0 + next * Speech.frameSamples }) else { return }
            blackHole(opus_encode_float(encoder, frame, Int32(Speech.frameSamples), &bytes, Int32(bytes.count)))
        }
        next = (next + 1) % Speech.frameCount
    }
}

final class CodecEncoding: HotPath {
    let turns = Speech.frameCount
    private let encoder: VoiceEncoder
    private let samples = Speech.samples
    private var bytes = [UInt8](repeating: 0, count: VoiceLimits.frameBytesMax)
    private var next = 0

    init() throws { encoder = try .opus(profile: .low) }

    deinit { encoder.destroy(encoder.state) }

    func turn() {
        samples.withUnsafeBufferPointer { samples in
            guard let frame = samples.baseAddress.map({ $0 + next * Speech.frameSamples }) else { return }
            blackHole(encoder.encode(encoder.state, frame, Int32(Speech.frameSamples), &bytes, Int32(bytes.count)))
        }
        next = (next + 1) % Speech.frameCount
    }
}

/// The capture thread's share: a period of the card into a coded frame.
final class Sending: HotPath {
    let turns = Speech.frameCount
    private var sender: VoiceSender
    private let samples = Speech.samples
    private let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: VoiceLimits.frameBytesMax, alignment: 16)
    private var next = 0

    init() throws { sender = VoiceSender(encoder: try .opus(profile: .low), duration: VoiceProfile.low.frame) }

    deinit { bytes.deallocate() }

    func turn() {
        let start = next * Speech.frameSamples
        samples.withUnsafeBufferPointer {
            sender.push(UnsafeBufferPointer(rebasing: $0[start..<(start + Speech.frameSamples)]), keys: .first)
        }
        while let frame = sender.nextFrame(into: bytes) { blackHole(frame) }
        next = (next + 1) % Speech.frameCount
    }
}

/// One frame of each talker through libopus itself.
final class PlainDecoding: HotPath {
    let turns: Int
    private var decoders: [OpaquePointer] = []
    private let frames: [[UInt8]]
    private var block = [Float](repeating: 0, count: Speech.frameSamples)
    private var next = 0

    init(talkers: Int) throws {
        turns = talkers == 1 ? Speech.frameCount : 20
        frames = try Speech.frames()
        for _ in 0..<talkers {
            var code: Int32 = OPUS_OK
            guard let decoder = opus_decoder_create(Int32(SampleTime.rateHertz), 1, &code) else {
                throw OpusError.decoder(code: code)
            }
            decoders.append(decoder)
        }
    }

    deinit {
        for decoder in decoders { opus_decoder_destroy(decoder) }
    }

    func turn() {
        for (talker, decoder) in decoders.enumerated() {
            let frame = frames[(next + Speech.offset(of: talker)) % Speech.frameCount]
            blackHole(opus_decode_float(decoder, frame, Int32(frame.count), &block, Int32(block.count), 0))
        }
        next += 1
    }
}

final class CodecDecoding: HotPath {
    let turns = Speech.frameCount
    private let decoder: VoiceDecoder
    private let frames: [[UInt8]]
    private var block = [Float](repeating: 0, count: Speech.frameSamples)
    private var next = 0

    init() throws {
        decoder = try .opus()
        frames = try Speech.frames()
    }

    deinit { decoder.destroy(decoder.state) }

    func turn() {
        let frame = frames[next % Speech.frameCount]
        blackHole(decoder.decode(decoder.state, frame, Int32(frame.count), &block, Int32(block.count)))
        next += 1
    }
}

extension Speech {
    /// Where in the second a talker begins, so that no two say the same at once.
    static func offset(of talker: Int) -> Int { talker * 7 }
}
