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
}
