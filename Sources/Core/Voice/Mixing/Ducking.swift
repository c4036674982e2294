/// How far everybody else steps back while somebody with priority speaks.
///
/// ```
///        somebody speaks                         0.2 s without a word
///   up ──────────────────▶ falling to -15 dB ▶ down ─────────────────▶ rising ──▶ up
///                             in 10 ms         ▲    speaks again         │ in 300 ms
///                                              └─────────────────────────┘
/// ```
package struct Ducking: BitwiseCopyable {
    /// What everybody without priority is multiplied by.
    package private(set) var gain: Float = 1
    private var holdLeft = 0

    package init() {}

    /// A block has passed, in which somebody with priority spoke, or nobody.
    @_noAllocation @_noLocks
    package mutating func advance(count: Int, isPrioritySpeaking: Bool) {
        if isPrioritySpeaking {
            holdLeft = Self.holdSamples
            gain = max(Self.depth, gain - (1 - Self.depth) * Float(count) / Self.attackSamples)
        } else if 0 < holdLeft {
            holdLeft -= count
        } else if gain < 1 {
            gain = min(1, gain + (1 - Self.depth) * Float(count) / Self.releaseSamples)
        }
    }

    /// -15 dB.
    private static let depth: Float = 0.1778
    private static let attackSamples: Float = 480
    private static let releaseSamples: Float = 14_400
    /// The gaps between words: 0.2 s.
    private static let holdSamples = 9_600
}
