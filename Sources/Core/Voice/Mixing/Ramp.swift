/// Gain changes without a click: linear over the given samples.
enum Ramp {
    /// Returns `value` moved towards `target` by at most `reach`.
    @_noAllocation @_noLocks
    static func step(_ value: Float, towards target: Float, by reach: Float) -> Float {
        value + min(reach, max(-reach, target - value))
    }

    @_noAllocation @_noLocks
    static func apply(to samples: UnsafeMutablePointer<Float>, count: Int, from start: Float, to end: Float) {
        let step = (end - start) / Float(max(1, count))
        for index in 0..<count { samples[index] *= start + step * Float(index) }
    }
}
