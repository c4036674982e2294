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
