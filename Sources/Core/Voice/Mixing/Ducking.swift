/// The gain of all talkers without priority while a talker with priority speaks.
///
/// ```
///        a priority talker speaks                0.2 s without speech
///   up ──────────────────▶ falling to -15 dB ▶ down ─────────────────▶ rising ──▶ up
///                             in 10 ms         ▲    speaks again         │ in 300 ms
///                                              └─────────────────────────┘
/// ```
package struct Ducking: BitwiseCopyable {
    /// Factor for all talkers without priority.
    package private(set) var gain: Float = 1
    private var holdLeft = 0

    package init() {}

    /// Advances by a block of `count` samples; `isPrioritySpeaking`: a talker with priority spoke in it.
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
    /// 10 ms.
    private static let attackSamples: Float = 480
    /// 300 ms.
    private static let releaseSamples: Float = 14_400
    /// Bridges the gaps between words: 0.2 s.
    private static let holdSamples = 9_600
}
