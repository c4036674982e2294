/// Basic operations on samples. The compiler proves that they do not allocate.
enum Samples {
    /// Copies samples; the two ranges may overlap.
    @_noAllocation @_noLocks
    static func copy(_ source: UnsafePointer<Float>, to target: UnsafeMutablePointer<Float>, count: Int) {
        let byteCount = count * MemoryLayout<Float>.stride
        UnsafeMutableRawPointer(target).copyMemory(from: source, byteCount: byteCount)
    }

    @_noAllocation @_noLocks
    static func silence(_ target: UnsafeMutablePointer<Float>, count: Int) {
        var index = 0
        while index < count {
            target[index] = 0
            index += 1
        }
    }

    /// Returns the mean square. Four independent sums let the processor add in parallel.
    @_noAllocation @_noLocks
    static func power(_ samples: UnsafePointer<Float>, count: Int) -> Float {
        var (a, b, c, d): (Float, Float, Float, Float) = (0, 0, 0, 0)
        var index = 0
        while index + 4 <= count {
            a += samples[index] * samples[index]
            b += samples[index + 1] * samples[index + 1]
            c += samples[index + 2] * samples[index + 2]
            d += samples[index + 3] * samples[index + 3]
            index += 4
        }
        while index < count {
            a += samples[index] * samples[index]
            index += 1
        }
        return 0 < count ? (a + b + c + d) / Float(count) : 0
    }

    /// Returns the largest magnitude, in four parts as `power`.
    @_noAllocation @_noLocks
    static func peak(_ samples: UnsafePointer<Float>, count: Int) -> Float {
        var (a, b, c, d): (Float, Float, Float, Float) = (0, 0, 0, 0)
        var index = 0
        while index + 4 <= count {
            a = max(a, abs(samples[index]))
            b = max(b, abs(samples[index + 1]))
            c = max(c, abs(samples[index + 2]))
            d = max(d, abs(samples[index + 3]))
            index += 4
        }
        while index < count {
            a = max(a, abs(samples[index]))
            index += 1
        }
        return max(max(a, b), max(c, d))
    }
}

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
