/// Turns the room down while nobody speaks into this microphone: by 20 dB, not to nothing, so that a
/// soft word is not lost. Opens within a millisecond, closes within 50.
package struct NoiseGate: BitwiseCopyable {
    private var gain: Float = 1

    package init() {}

    /// Whether the room is turned down now.
    package var isClosed: Bool { gain < 0.5 }

    /// Turns the room down while it is not open, in place and without a click.
    @_noAllocation @_noLocks
    package mutating func process(_ samples: UnsafeMutablePointer<Float>, count: Int, isOpen: Bool) {
        let target: Float = isOpen ? 1 : Self.closedGain
        guard gain != 1 || target != 1 else { return }
        let step = isOpen ? Self.openStep : -Self.closeStep
        for index in 0..<count {
            gain = isOpen ? min(target, gain + step) : max(target, gain + step)
            samples[index] *= gain
        }
    }

    private static let closedGain: Float = 0.1
    private static let openStep: Float = 0.9 / 48
    private static let closeStep: Float = 0.9 / 2_400
}
