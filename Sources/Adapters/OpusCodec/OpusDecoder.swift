import COpus
import Primitives
package import Voice

/// The decoder of libopus, 48 kHz mono, as a `VoiceDecoder`. It decodes frames of any duration and application, and
/// takes 18 KB of memory.
extension VoiceDecoder {
    /// Makes a decoder. The caller owns it until a `VoiceReceiver` takes it over.
    /// - Throws: `OpusError.decoder` if libopus cannot make one, because there is no memory.
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

    /// Makes one decoder for each talker of a receiver, `VoiceLimits.talkersMax` in all.
    /// - Throws: `OpusError.decoder` if libopus cannot make one of them; those made before are freed.
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
