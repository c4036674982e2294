/// Silences the mix while this node talks (half-duplex), without a click: within 10 ms.
package struct FloorMute: BitwiseCopyable {
    private var gain: Float = 1

    package init() {}

    @_noAllocation @_noLocks
    package mutating func process(_ samples: UnsafeMutablePointer<Float>, count: Int, isMute: Bool) {
        let reach = Float(count) / 480
        let end = isMute ? max(0, gain - reach) : min(1, gain + reach)
        guard gain != 1 || end != 1 else { return }
        Ramp.apply(to: samples, count: count, from: gain, to: end)
        gain = end
    }
}
