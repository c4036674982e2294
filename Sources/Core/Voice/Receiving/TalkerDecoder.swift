/// The sound of one talker's frames, and sound that is made up where a frame is missing.
struct TalkerDecoder: BitwiseCopyable {
    /// The latest sound.
    let samples: UnsafeMutablePointer<Float>
    private let decoder: VoiceDecoder
    private var plain = PlainConcealment()
    /// How the running spurt is coded.
    private var isPlain = false

    init(_ decoder: VoiceDecoder) {
        self.decoder = decoder
        samples = .allocate(capacity: VoiceLimits.frameSamplesMax)
        samples.initialize(repeating: 0, count: VoiceLimits.frameSamplesMax)
    }

    func destroy() {
        decoder.destroy(decoder.state)
        plain.destroy()
        samples.deallocate()
    }

    /// How far made-up plain sound has faded by itself, 1 … 0. It is always 1 for a codec, whose own fade is unknown.
    var loudness: Float { isPlain ? plain.loudness : 1 }

    /// Begins a spurt.
    mutating func begin(isPlain: Bool) {
        decoder.reset(decoder.state)
        self.isPlain = isPlain
    }

    /// Decodes the bytes of a frame into `samples`. Returns the mean square.
    mutating func decode(_ bytes: UnsafeBufferPointer<UInt8>, of frame: JitterBuffer.Waiting) -> Float {
        let written = write(bytes, of: frame)
        return tidy(from: written, to: frame.samples)
    }

    /// Returns the number of samples written.
    private mutating func write(_ bytes: UnsafeBufferPointer<UInt8>, of frame: JitterBuffer.Waiting) -> Int {
        guard let base = bytes.baseAddress else { return 0 }
        isPlain = frame.isPlain
        guard isPlain else {
            let count = Int32(truncatingIfNeeded: bytes.count)
            return max(
                0, Int(decoder.decode(decoder.state, base, count, samples, Int32(truncatingIfNeeded: frame.samples))))
        }
        PlainSound.decode(base, into: samples, count: frame.samples)
        plain.add(samples, count: frame.samples)
        return frame.samples
    }

    /// Makes up `count` samples, at most 20 ms.
    mutating func makeUp(_ count: Int) {
        precondition(count <= VoiceLimits.frameSamplesMax, "\(count) samples to make up")
        guard !isPlain else { return plain.fill(samples, count: count) }
        let step = VoiceLimits.codedFrameSamplesMin
        let whole = (count + step - 1) / step * step
        let written = decoder.decode(decoder.state, nil, 0, samples, Int32(truncatingIfNeeded: whole))
        _ = tidy(from: max(0, Int(written)), to: whole)
    }

    /// Zeros the samples that the decoder did not write, and those with an impossible value: a peer may send any
    /// bytes. Returns the mean square.
    private func tidy(from written: Int, to count: Int) -> Float {
        if written < count { Samples.silence(samples + written, count: count - written) }
        // A comparison with a NaN is false, so a NaN becomes 0 too.
        for index in 0..<count where !(abs(samples[index]) < Self.loudestSample) { samples[index] = 0 }
        return Samples.power(samples, count: count)
    }

    /// Magnitude from which a decoded sample is an error: 18 dB above full scale.
    private static let loudestSample: Float = 8
}
