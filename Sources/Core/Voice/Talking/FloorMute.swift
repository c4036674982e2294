/// Mutes the mix while this node talks in half-duplex. The gain changes without a click, within 10 ms or one block,
/// whichever is longer.
package struct FloorMute: BitwiseCopyable {
    private var gain: Float = 1

    package init() {}

    /// Works in place on `count` samples of each of `channels` interleaved channels.
    @_noAllocation @_noLocks
    package mutating func process(
        _ samples: UnsafeMutablePointer<Float>, count: Int, channels: Int, isMute: Bool
    ) {
        let reach = Float(count) / 480
        let end = Ramp.step(gain, towards: isMute ? 0 : 1, by: reach)
        guard gain != 1 || end != 1 else { return }
        Ramp.apply(to: samples, count: count * channels, from: gain, to: end)
        gain = end
    }
}
