/// Makes a voice higher or lower: two heads read what has just been said, quicker or slower than it was said, and
/// take turns, half a window apart, each fading in as the other fades out.
struct PitchShifter: ~Copyable {
    private let line: UnsafeMutablePointer<Float>
    private var written = 0
    /// Samples by which the first head lies behind, 0 ..< `window`.
    private var lag: Float = 0
    /// By how much it falls behind with each sample; negative where it catches up.
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

    /// What a head reads, between two samples, and as loud as its place in the window says.
    @_noAllocation @_noLocks
    private func heard(_ lag: Float) -> Float {
        let whole = Int(lag)
        let part = lag - Float(whole)
        let newer = line[(written &- whole) & (Self.capacity - 1)]
        let older = line[(written &- whole &- 1) & (Self.capacity - 1)]
        let place = lag * (2 / Self.window)
        return (newer + (older - newer) * part) * (place < 1 ? place : 2 - place)
    }

    /// On average: the heads lie anywhere in the window.
    static let delaySamples = Int(window / 2)
    /// 30 ms: longer is a second voice, shorter is rough.
    private static let window: Float = 1_440
    private static let capacity = 2_048
    private static let semitone = 1.059_463_094_359_295_3
}
