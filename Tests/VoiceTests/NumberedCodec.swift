import Primitives
import Voice

/// A codec whose sound shows its position: the sample at position `p` of a talker is `(p mod 48,000) / 96,000`, so that
/// a listener's output can be read back as positions.
enum NumberedCodec {
    static let period = 48_000
    static let concealed: Float = -0.25

    static func value(at position: Int64) -> Float { Float(Int(position) % period) / Float(2 * period) }
    static func position(of value: Float) -> Double { Double(value) * Double(2 * period) }

    /// The bytes of a frame: its first position.
    static func bytes(start: Int64) -> [UInt8] { withUnsafeBytes(of: start.littleEndian) { Array($0) } }

    static func decoder() -> VoiceDecoder {
        VoiceDecoder(
            state: .allocate(byteCount: 1, alignment: 1),
            decode: { _, bytes, byteCount, samples, count in
                guard let bytes, byteCount == 8 else {
                    for index in 0..<Int(count) { samples[index] = NumberedCodec.concealed }
                    return count
                }
                let start = Int64(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: Int64.self))
                for index in 0..<Int(count) { samples[index] = NumberedCodec.value(at: start + Int64(index)) }
                return count
            },
            reset: { _ in }, destroy: { $0.deallocate() })
    }

    static func decoders() -> [VoiceDecoder] { (0..<VoiceLimits.talkersMax).map { _ in decoder() } }
}
