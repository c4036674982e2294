/// Moving samples about, in a form that the compiler can prove free of allocation.
enum Samples {
    /// Copies forwards, so the two may overlap where `target` lies before `source`.
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

    /// Mean square; four sums, so that none waits for the one before.
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
