import Primitives
import Voice
import Wire

/// The frames that a listener's decoders got, in order.
final class FrameNotebook {
    struct Sounded {
        var slot: Int
        /// Nil if the bytes are no stamp.
        var stamp: VoiceStamp?
    }

    /// The frames since the last `take()`.
    private(set) var frames: [Sounded] = []

    func note(_ frame: Sounded) { frames.append(frame) }

    func take() -> [Sounded] {
        defer { frames.removeAll(keepingCapacity: true) }
        return frames
    }
}

/// A codec whose frames are `VoiceStamp`s. A decoded frame shows its talker, the talker's life, and when it was
/// spoken.
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

    /// The source of the stamps of one talker's frames.
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

    /// Returns one decoder for each slot (the number of a peer at this listener). All decoders write their frames to
    /// `notebook`. A concealed frame, made up for one that has not come, sounds too, but is not written there.
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
    /// Reads the stamp of the newest frame in a payload; nil if there is no frame, or no stamp in it.
    init?(ofPayload payload: [UInt8]) {
        let newest = payload.withUnsafeBytes { bytes -> (frame: [UInt8], isEnd: Bool)? in
            guard var reader = try? VoicePayloadReader(bytes), let block = reader.next() else { return nil }
            return (Array(block.sound), reader.header.flags.contains(.spurtEnd))
        }
        guard let newest else { return nil }
        self.init(newest.frame)
        isRepeat = newest.isEnd
    }
}
