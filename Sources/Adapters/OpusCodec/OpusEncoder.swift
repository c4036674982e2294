import COpus
package import Primitives
package import Voice

/// What an encoder is for. libopus fixes this with the first frame, so switching means a second
/// encoder.
package enum OpusApplication: Sendable {
    /// CELT alone, look-ahead 2.5 ms.
    case lowDelay
    /// SILK and CELT for speech at low rates, look-ahead 6.5 ms; frames of 10 ms and more.
    case voice

    fileprivate var code: Int32 {
        switch self {
        case .lowDelay: OPUS_APPLICATION_RESTRICTED_LOWDELAY
        case .voice: OPUS_APPLICATION_VOIP
        }
    }
}

/// libopus as Voice's encoder, 48 kHz mono (RFC 6716; libopus 1.3.1).
///
/// libopus allocates only while a coder is made; coding, concealment and reset work inside its
/// state and on the stack.
extension VoiceEncoder {
    /// An encoder set up for `profile`. The caller owns it until a `VoiceSender` takes it over.
    ///
    /// - Parameters:
    ///   - application: nil takes the profile's, where its frames are long enough for it.
    ///   - frame: what will be encoded mostly; nil takes the profile's.
    ///   - bitsPerSecond: nil takes the profile's.
    package static func opus(
        profile: VoiceProfile, application: OpusApplication? = nil, frame: FrameDuration? = nil,
        bitsPerSecond: Int? = nil
    ) throws(OpusError) -> VoiceEncoder {
        let hasLongFrames = FrameDuration.ms10.samples <= (frame ?? profile.frame).samples
        let application = application ?? (profile.isSpeechCoded && hasLongFrames ? .voice : .lowDelay)
        var code: Int32 = OPUS_OK
        guard let encoder = opus_encoder_create(Int32(SampleTime.rateHertz), 1, application.code, &code) else {
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
