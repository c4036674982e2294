import COpus
package import Primitives
package import Voice

/// The encoder of libopus, 48 kHz mono, as a `VoiceEncoder` (RFC 6716; libopus 1.3.1).
///
/// libopus allocates only when it makes an encoder or decoder. Coding, concealment and reset use that memory and the
/// stack.
extension VoiceEncoder {
    /// Makes an encoder with the settings of `profile`. The caller owns it until a `VoiceSender` takes it over.
    ///
    /// Its mode is CELT only, with a look-ahead of 2.5 ms; or SILK and CELT, for speech at low rates, with a look-ahead
    /// of 6.5 ms, if the profile is for that and frames are 10 ms or longer. libopus does not change it after the first
    /// frame, so another mode needs another encoder.
    ///
    /// - Parameters:
    ///   - frame: the usual duration of frames; nil selects that of the profile.
    ///   - bitsPerSecond: nil selects the rate of the profile.
    /// - Throws: `OpusError.encoder` if libopus cannot make an encoder, `OpusError.setting` if it refuses a setting.
    package static func opus(
        profile: VoiceProfile, frame: FrameDuration? = nil, bitsPerSecond: Int? = nil
    ) throws(OpusError) -> VoiceEncoder {
        let hasLongFrames = FrameDuration.ms10.samples <= (frame ?? profile.frame).samples
        let application =
            profile.isSpeechCoded && hasLongFrames ? OPUS_APPLICATION_VOIP : OPUS_APPLICATION_RESTRICTED_LOWDELAY
        var code: Int32 = OPUS_OK
        guard let encoder = opus_encoder_create(Int32(SampleTime.rateHertz), 1, application, &code) else {
            throw .encoder(code: code)
        }
        do throws(OpusError) {
            try apply(profile, bitsPerSecond: bitsPerSecond ?? profile.bitsPerSecond, to: encoder)
            return VoiceEncoder(
                state: UnsafeMutableRawPointer(encoder),
                encode: { state, samples, count, bytes, bytesMax in
                    max(0, opus_encode_float(OpaquePointer(state), samples, count, bytes, bytesMax))
                },
                setBitrate: { _ = partyline_opus_encoder_set_bitrate(OpaquePointer($0), $1) },
                setPrediction: {
                    _ = partyline_opus_encoder_set_prediction_disabled(OpaquePointer($0), $1 ? 0 : 1)
                },
                reset: { _ = partyline_opus_encoder_reset(OpaquePointer($0)) },
                destroy: { opus_encoder_destroy(OpaquePointer($0)) },
                lookaheadSamples: try lookahead(of: encoder))
        } catch {
            opus_encoder_destroy(encoder)
            throw error
        }
    }

    private static func apply(
        _ profile: VoiceProfile, bitsPerSecond: Int, to encoder: OpaquePointer
    ) throws(OpusError) {
        try check("bitrate", partyline_opus_encoder_set_bitrate(encoder, Int32(bitsPerSecond)))
        try check("complexity", partyline_opus_encoder_set_complexity(encoder, Int32(profile.complexity)))
        try check("variable bitrate", partyline_opus_encoder_set_vbr(encoder, 1))
        try check("signal", partyline_opus_encoder_set_signal_voice(encoder))
    }

    private static func lookahead(of encoder: OpaquePointer) throws(OpusError) -> Int {
        var samples: Int32 = 0
        try check("look-ahead", partyline_opus_encoder_get_lookahead(encoder, &samples))
        return Int(samples)
    }

    private static func check(_ setting: String, _ code: Int32) throws(OpusError) {
        guard code == OPUS_OK else { throw .setting(setting, code: code) }
    }
}

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

/// An error of libopus; the description contains the text of `opus_strerror`.
package enum OpusError: Error, Equatable, CustomStringConvertible {
    /// An encoder could not be made.
    case encoder(code: Int32)
    /// A decoder could not be made.
    case decoder(code: Int32)
    /// The encoder refused the setting with this name.
    case setting(String, code: Int32)

    package var description: String {
        switch self {
        case .encoder(let code): "opus encoder: \(Self.text(code))"
        case .decoder(let code): "opus decoder: \(Self.text(code))"
        case .setting(let name, let code): "opus encoder, \(name): \(Self.text(code))"
        }
    }

    private static func text(_ code: Int32) -> String {
        guard let text = opus_strerror(code) else { return "error \(code)" }
        return String(cString: text)
    }
}
