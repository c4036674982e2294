import COpus
import Primitives
package import Voice

/// libopus as Voice's decoder: frames of any size and application, 18 KB each.
extension VoiceDecoder {
    /// The caller owns it until a `VoiceReceiver` takes it over.
    package static func opus() throws(OpusError) -> VoiceDecoder {
        var code: Int32 = OPUS_OK
        guard let decoder = opus_decoder_create(Int32(SampleTime.rateHertz), 1, &code) else {
            throw .decoder(code: code)
        }
        return VoiceDecoder(
            state: UnsafeMutableRawPointer(decoder),
            decode: { state, bytes, byteCount, samples, count in
                opus_decode_float(OpaquePointer(state), bytes, byteCount, samples, count, 0)
            },
            reset: { _ = partyline_opus_decoder_reset(OpaquePointer($0)) },
            destroy: { opus_decoder_destroy(OpaquePointer($0)) })
    }

    /// One decoder for each talker that a receiver holds.
    package static func opusForEveryTalker() throws(OpusError) -> [VoiceDecoder] {
        var decoders: [VoiceDecoder] = []
        do throws(OpusError) {
            for _ in 0..<VoiceLimits.talkersMax { decoders.append(try opus()) }
            return decoders
        } catch {
            for decoder in decoders { decoder.destroy(decoder.state) }
            throw error
        }
    }
}
