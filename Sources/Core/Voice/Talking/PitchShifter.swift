/// Raises or lowers the pitch of a voice (Puckette, "The Theory and Technique of Electronic Music", section 7.9).
///
/// Two read heads move along a delay line, faster or slower than sound is written to it. A head that reaches the end of
/// the window jumps back to the start. The heads are half a window apart, and a triangular crossfade mutes each head
/// when it jumps.
struct PitchShifter: ~Copyable {
    private let line: UnsafeMutablePointer<Float>
    /// Number of samples written.
    private var written = 0
    /// Delay of the first head behind the newest sample, in samples: 0 ..< `window`.
    private var lag: Float = 0
    /// Growth of the delay with each sample; negative if the pitch rises.
    private let drift: Float

    init(semitones: Int) {
        var ratio = 1.0
        for _ in 0..<abs(semitones) { ratio *= semitones < 0 ? 1 / Self.semitone : Self.semitone }
        drift = Float(1 - ratio)
        line = .allocate(capacity: Self.capacity)
        line.initialize(repeating: 0, count: Self.capacity)
    }

    deinit { line.deallocate() }

    @_noAllocation @_noLocks
    mutating func process(_ samples: UnsafeMutablePointer<Float>, count: Int) {
        for index in 0..<count {
            line[written & (Self.capacity - 1)] = samples[index]
            let other = lag < Self.window / 2 ? lag + Self.window / 2 : lag - Self.window / 2
            samples[index] = heard(lag) + heard(other)
            written &+= 1
            lag += drift
            if lag < 0 { lag += Self.window }
            if Self.window <= lag { lag -= Self.window }
        }
    }

    /// Forgets all sound so far.
    @_noAllocation @_noLocks
    mutating func forget() { line.update(repeating: 0, count: Self.capacity) }

    /// Returns the sound at a delay of `lag` samples, linearly interpolated between two samples, times the crossfade:
    /// 0 at both ends of the window, 1 in its middle.
    @_noAllocation @_noLocks
    private func heard(_ lag: Float) -> Float {
        let whole = Int(lag)
        let part = lag - Float(whole)
        let newer = line[(written &- whole) & (Self.capacity - 1)]
        let older = line[(written &- whole &- 1) & (Self.capacity - 1)]
        let place = lag * (2 / Self.window)
        return (newer + (older - newer) * part) * (place < 1 ? place : 2 - place)
    }

    /// Mean delay: 15 ms. The heads pass through the whole window.
    static let delaySamples = Int(window / 2)
    /// 30 ms: a longer window is heard as a second voice, a shorter one sounds rough.
    private static let window: Float = 1_440
    private static let capacity = 2_048
    /// 2^(1/12).
    private static let semitone = 1.059_463_094_359_295_3
}
