/// Attenuates the noise of the room by 20 dB while nobody speaks into this microphone. It does not mute, so that a soft
/// word can still be heard. Opens within 1 ms, closes within 50 ms.
package struct NoiseGate: BitwiseCopyable {
    private var gain: Float = 1

    package init() {}

    /// Whether the sound is attenuated by more than 6 dB now.
    package var isClosed: Bool { gain < 0.5 }

    /// Opens or closes the gate without a click, and applies its gain to `count` samples in place.
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

    /// -20 dB.
    private static let closedGain: Float = 0.1
    private static let openStep: Float = 0.9 / 48
    private static let closeStep: Float = 0.9 / 2_400
}
