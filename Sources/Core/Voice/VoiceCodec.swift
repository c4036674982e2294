/// An encoder as the capture thread sees it: plain function pointers around an opaque state.
///
/// Not a protocol: calling through `any` counts references, and a generic sender would be
/// compiled without its encoder. Who holds the value owns `state` and calls `destroy` once.
package struct VoiceEncoder: @unchecked Sendable, BitwiseCopyable {
    /// Encodes one frame of mono samples; returns bytes written, or 0 where it could not.
    package typealias Encode =
        @convention(c) (
            _ state: UnsafeMutableRawPointer, _ samples: UnsafePointer<Float>, _ sampleCount: Int32,
            _ bytes: UnsafeMutablePointer<UInt8>, _ bytesMax: Int32
        ) -> Int32
    package typealias Act = @convention(c) (_ state: UnsafeMutableRawPointer) -> Void
    /// Moves the target, in bits a second.
    package typealias SetBitrate = @convention(c) (_ state: UnsafeMutableRawPointer, _ bitsPerSecond: Int32) -> Void

    package var state: UnsafeMutableRawPointer
    package var encode: Encode
    package var setBitrate: SetBitrate
    /// Forgets what was encoded so far; called as a talk spurt starts.
    package var reset: Act
    package var destroy: Act
    /// Samples by which decoded sound lags behind what was encoded.
    package var lookaheadSamples: Int

    package init(
        state: UnsafeMutableRawPointer, encode: @escaping Encode, setBitrate: @escaping SetBitrate = { _, _ in },
        reset: @escaping Act, destroy: @escaping Act, lookaheadSamples: Int
    ) {
        self.state = state
        self.encode = encode
        self.setBitrate = setBitrate
        self.reset = reset
        self.destroy = destroy
        self.lookaheadSamples = lookaheadSamples
    }
}

/// A decoder as the playback thread sees it; ownership as in `VoiceEncoder`.
package struct VoiceDecoder: @unchecked Sendable, BitwiseCopyable {
    /// Decodes one frame into exactly `sampleCount` mono samples; `bytes` nil asks for concealment
    /// (then `sampleCount` is a multiple of 120). Returns samples written, or less than 1 where it
    /// could not.
    package typealias Decode =
        @convention(c) (
            _ state: UnsafeMutableRawPointer, _ bytes: UnsafePointer<UInt8>?, _ byteCount: Int32,
            _ samples: UnsafeMutablePointer<Float>, _ sampleCount: Int32
        ) -> Int32
    package typealias Act = @convention(c) (_ state: UnsafeMutableRawPointer) -> Void

    package var state: UnsafeMutableRawPointer
    package var decode: Decode
    /// Forgets what was decoded so far; called as a talk spurt starts.
    package var reset: Act
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
