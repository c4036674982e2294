import Primitives

/// Converts the sample times of one talker, which wrap, to positions that do not wrap.
struct SampleTimeline: BitwiseCopyable {
    private var latestSamples: UInt32 = 0
    private var latestPosition: Int64 = 0
    private var isRunning = false

    init() {}

    @_noAllocation @_noLocks
    mutating func position(of time: SampleTime) -> Int64 {
        guard isRunning else {
            (isRunning, latestSamples, latestPosition) = (true, time.samples, Int64(time.samples))
            return latestPosition
        }
        let position = latestPosition &+ Int64(Int32(bitPattern: time.samples &- latestSamples))
        (latestSamples, latestPosition) = (time.samples, position)
        return position
    }
}
