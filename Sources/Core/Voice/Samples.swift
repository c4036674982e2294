/// Basic operations on samples. They are loops, because the compiler can prove that these do not allocate.
enum Samples {
    /// Copies from the first sample to the last: the two ranges may overlap if `target` lies before `source`.
    @_noAllocation @_noLocks
    static func copy(_ source: UnsafePointer<Float>, to target: UnsafeMutablePointer<Float>, count: Int) {
        var index = 0
        while index < count {
            target[index] = source[index]
            index += 1
        }
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
}
