/// How far some voices are lowered while other sound is heard: talkers while one with priority speaks, and programme
/// while anybody talks.
///
/// ```
///           speech is heard                      0.2 s without speech
///   up ──────────────────▶ falling to the depth ▶ down ─────────────────▶ rising ──▶ up
///                             in 10 ms             ▲    speech again         │ in 300 ms
///                                                  └─────────────────────────┘
/// ```
package struct Ducking: BitwiseCopyable {
    /// 1 up … 0 down.
    private var height: Float = 1
    private var holdLeft = 0

    package init() {}

    /// Returns the factor for voices that are lowered to `depth`, 0 … 1.
    @_noAllocation @_noLocks
    package func gain(to depth: Float) -> Float { height == 1 ? 1 : depth + (1 - depth) * height }

    /// Advances by a block of `count` samples; `isSpeechHeard`: the sound for which others are lowered was in it.
    @_noAllocation @_noLocks
    package mutating func advance(count: Int, isSpeechHeard: Bool) {
        if isSpeechHeard {
            holdLeft = Self.holdSamples
            height = max(0, height - Float(count) / Self.attackSamples)
        } else if 0 < holdLeft {
            holdLeft -= count
        } else if height < 1 {
            height = min(1, height + Float(count) / Self.releaseSamples)
        }
    }

    /// The depth for talkers without priority: -15 dB.
    package static let priorityDepth: Float = 0.1778
    /// 10 ms.
    private static let attackSamples: Float = 480
    /// 300 ms.
    private static let releaseSamples: Float = 14_400
    /// Bridges the gaps between words: 0.2 s.
    private static let holdSamples = 9_600
}
