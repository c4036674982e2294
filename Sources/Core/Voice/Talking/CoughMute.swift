/// Silences the microphone while the cough switch is held. A fade of 2.5 ms at each end keeps it free of clicks.
package struct CoughMute: BitwiseCopyable {
    private var isMute = false

    package init() {}

    /// Works in place on a period of `count` samples.
    @_noAllocation @_noLocks
    package mutating func process(_ samples: UnsafeMutablePointer<Float>, count: Int, isCoughing: Bool) {
        let fade = min(count, Self.fadeSamples)
        switch (isMute, isCoughing) {
        case (false, false):
            break
        case (false, true):
            Ramp.apply(to: samples, count: fade, from: 1, to: 0)
            Samples.silence(samples + fade, count: count - fade)
        case (true, true):
            Samples.silence(samples, count: count)
        case (true, false):
            Ramp.apply(to: samples, count: fade, from: 0, to: 1)
        }
        isMute = isCoughing
    }

    /// 2.5 ms.
    private static let fadeSamples = 120
}
