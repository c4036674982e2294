/// Loops that sum talkers into one block.
package enum MixKernels {
    /// Adds `count` samples with a gain that changes linearly from `start` to `end`.
    @_noAllocation @_noLocks
    package static func add(
        _ source: UnsafePointer<Float>, to mix: UnsafeMutablePointer<Float>, count: Int, from start: Float,
        to end: Float
    ) {
        if start == 1 && end == 1 {
            for index in 0..<count { mix[index] += source[index] }
            return
        }
        let step = (end - start) / Float(max(1, count))
        for index in 0..<count { mix[index] += source[index] * (start + step * Float(index)) }
    }

    /// Writes `left` and `right` as `channels` interleaved channels, which get left and right in turn.
    @_noAllocation @_noLocks
    package static func interleave(
        _ left: UnsafePointer<Float>, _ right: UnsafePointer<Float>, count: Int,
        into output: UnsafeMutablePointer<Float>, channels: Int
    ) {
        var place = output
        for index in 0..<count {
            for channel in 0..<channels { place[channel] = channel & 1 == 0 ? left[index] : right[index] }
            place += channels
        }
    }
}
