/// An encoder as the capture thread uses it: C function pointers and the opaque state that they take.
///
/// It is not a protocol, because calls through `any` count references, and a generic sender could not be specialised
/// for an encoder of another module. The holder of the value owns `state`, and must call `destroy` exactly once.
package struct VoiceEncoder: @unchecked Sendable, BitwiseCopyable {
    /// Encodes one frame of mono samples; returns the number of bytes written, or less than 1 on failure.
    package typealias Encode =
        @convention(c) (
            _ state: UnsafeMutableRawPointer, _ samples: UnsafePointer<Float>, _ sampleCount: Int32,
            _ bytes: UnsafeMutablePointer<UInt8>, _ bytesMax: Int32
        ) -> Int32
    package typealias Act = @convention(c) (_ state: UnsafeMutableRawPointer) -> Void
    /// Sets the target bit rate.
    package typealias SetBitrate = @convention(c) (_ state: UnsafeMutableRawPointer, _ bitsPerSecond: Int32) -> Void
    /// Sets whether the next frames may be predicted from the frames before them.
    package typealias SetPrediction = @convention(c) (_ state: UnsafeMutableRawPointer, _ isOn: Bool) -> Void

    package var state: UnsafeMutableRawPointer
    package var encode: Encode
    package var setBitrate: SetBitrate
    package var setPrediction: SetPrediction
    /// Returns the encoder to its initial state; called at the start of each talk spurt.
    package var reset: Act
    /// Frees `state`.
    package var destroy: Act
    /// Delay of the decoded sound behind the encoded sound, in samples.
    package var lookaheadSamples: Int

    package init(
        state: UnsafeMutableRawPointer, encode: @escaping Encode, setBitrate: @escaping SetBitrate = { _, _ in },
        setPrediction: @escaping SetPrediction = { _, _ in }, reset: @escaping Act, destroy: @escaping Act,
        lookaheadSamples: Int
    ) {
        self.state = state
        self.encode = encode
        self.setBitrate = setBitrate
        self.setPrediction = setPrediction
        self.reset = reset
        self.destroy = destroy
        self.lookaheadSamples = lookaheadSamples
    }
}

/// A decoder as the playback thread uses it: C function pointers and the opaque state that they take. The holder of the
/// value owns `state`, and must call `destroy` exactly once.
package struct VoiceDecoder: @unchecked Sendable, BitwiseCopyable {
    /// Decodes one frame into `sampleCount` mono samples. If `bytes` is nil, conceals that number of samples, which
    /// must then be a multiple of 120. Returns the number of samples written, or less than 1 on failure.
    package typealias Decode =
        @convention(c) (
            _ state: UnsafeMutableRawPointer, _ bytes: UnsafePointer<UInt8>?, _ byteCount: Int32,
            _ samples: UnsafeMutablePointer<Float>, _ sampleCount: Int32
        ) -> Int32
    package typealias Act = @convention(c) (_ state: UnsafeMutableRawPointer) -> Void

    package var state: UnsafeMutableRawPointer
    package var decode: Decode
    /// Returns the decoder to its initial state; called at the start of each talk spurt.
    package var reset: Act
    /// Frees `state`.
    package var destroy: Act

    package init(
        state: UnsafeMutableRawPointer, decode: @escaping Decode, reset: @escaping Act, destroy: @escaping Act
    ) {
        self.state = state
        self.decode = decode
        self.reset = reset
        self.destroy = destroy
    }
}
