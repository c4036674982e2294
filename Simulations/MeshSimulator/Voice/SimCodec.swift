import Primitives
import Voice
import Wire

/// What a listener's decoders were given, in order.
final class FrameNotebook {
    struct Sounded {
        var slot: Int
        /// Nil where the bytes are no talker's.
        var stamp: VoiceStamp?
    }

    /// Since the last look.
    private(set) var frames: [Sounded] = []

    func note(_ frame: Sounded) { frames.append(frame) }

    func take() -> [Sounded] {
        defer { frames.removeAll(keepingCapacity: true) }
        return frames
    }
}

/// A codec whose frames are `VoiceStamp`s: what is decoded tells who spoke it, in which life, and when.
enum SimCodec {
    private final class Encoder {
        let pen: Pen
        init(_ pen: Pen) { self.pen = pen }
    }

    private final class Decoder {
        let slot: Int
        let notebook: FrameNotebook
        init(slot: Int, notebook: FrameNotebook) {
            self.slot = slot
            self.notebook = notebook
        }
    }

    /// What the next frame is stamped with.
    final class Pen {
        private let talker: Int
        private let life: UInt32
        private(set) var sequence: UInt32 = 0
        var now = Instant.zero

        init(talker: Int, life: UInt32) {
            self.talker = talker
            self.life = life
        }

        func stamp() -> VoiceStamp {
            sequence += 1
            return VoiceStamp(talker: talker, life: life, sequence: sequence, spokenAt: now)
        }
    }

    static func encoder(_ pen: Pen) -> VoiceEncoder {
        VoiceEncoder(
            state: Unmanaged.passRetained(Encoder(pen)).toOpaque(),
            encode: { state, _, _, target, bytesMax in
                let stamp = Unmanaged<Encoder>.fromOpaque(state).takeUnretainedValue().pen.stamp().bytes
                guard stamp.count <= bytesMax else { return 0 }
                for (index, byte) in stamp.enumerated() { target[index] = byte }
                return Int32(stamp.count)
            },
            reset: { _ in }, destroy: { Unmanaged<Encoder>.fromOpaque($0).release() }, lookaheadSamples: 0)
    }

    /// One for each slot, all with one notebook. What is made up for lost frames sounds, and is written down by nobody.
    static func decoders(_ notebook: FrameNotebook) -> [VoiceDecoder] {
        (0..<VoiceLimits.talkersMax).map { slot in
            VoiceDecoder(
                state: Unmanaged.passRetained(Decoder(slot: slot, notebook: notebook)).toOpaque(),
                decode: { state, bytes, byteCount, samples, count in
                    for index in 0..<Int(count) { samples[index] = SimCodec.loudness }
                    guard let bytes else { return count }
                    let decoder = Unmanaged<Decoder>.fromOpaque(state).takeUnretainedValue()
                    let frame = Array(UnsafeBufferPointer(start: bytes, count: Int(byteCount)))
                    decoder.notebook.note(FrameNotebook.Sounded(slot: decoder.slot, stamp: VoiceStamp(frame)))
                    return count
                },
                reset: { _ in }, destroy: { Unmanaged<Decoder>.fromOpaque($0).release() })
        }
    }

    private static let loudness: Float = 0.1
}

extension VoiceStamp {
    /// Of the newest frame in a payload; nil where it is none.
    init?(ofPayload payload: [UInt8]) {
        let newest = payload.withUnsafeBytes { bytes -> (frame: [UInt8], isEnd: Bool)? in
            guard var reader = try? VoicePayloadReader(bytes), let block = reader.next() else { return nil }
            return (Array(block.opus), reader.header.flags.contains(.spurtEnd))
        }
        guard let newest else { return nil }
        self.init(newest.frame)
        isRepeat = newest.isEnd
    }
}
