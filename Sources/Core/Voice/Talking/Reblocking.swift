/// Feeds periods of any size to a worker that needs blocks of a fixed size, with the smallest possible delay: none if
/// a period is a whole number of blocks; otherwise the block less the greatest common divisor of both sizes.
package struct Reblocking: ~Copyable {
    /// Delay that this adds, in samples. It reaches its final value within the first periods.
    package private(set) var delaySamples = 0

    private let blockSamples: Int
    private let waiting: UnsafeMutablePointer<Float>
    private var waitingCount = 0
    private let done: UnsafeMutablePointer<Float>
    private var doneCount = 0

    /// - Parameter periodSamplesMax: the most samples of one call to `process`.
    package init(blockSamples: Int, periodSamplesMax: Int) {
        precondition(0 < blockSamples && 0 < periodSamplesMax, "blocks of \(blockSamples)")
        self.blockSamples = blockSamples
        waiting = .allocate(capacity: blockSamples)
        waiting.initialize(repeating: 0, count: blockSamples)
        done = .allocate(capacity: periodSamplesMax + 2 * blockSamples)
        done.initialize(repeating: 0, count: periodSamplesMax + 2 * blockSamples)
    }

    deinit {
        waiting.deallocate()
        done.deallocate()
    }

    /// Replaces `samples` by processed sound, which is `delaySamples` late.
    /// - Parameter work: processes a block in place. The block begins `before` samples before the first sample of this
    ///   period; if `before` is negative, it begins that many samples after it.
    package mutating func process(
        _ samples: UnsafeMutablePointer<Float>, count: Int,
        work: (_ block: UnsafeMutablePointer<Float>, _ before: Int) -> Void
    ) {
        var used = 0
        while used < count {
            let start = used - waitingCount
            let taken = min(blockSamples - waitingCount, count - used)
            Samples.copy(samples + used, to: waiting + waitingCount, count: taken)
            waitingCount += taken
            used += taken
            guard waitingCount == blockSamples else { break }
            work(waiting, -start)
            Samples.copy(waiting, to: done + doneCount, count: blockSamples)
            (waitingCount, doneCount) = (0, doneCount + blockSamples)
        }
        let missing = max(0, count - doneCount)
        delaySamples += missing
        Samples.silence(samples, count: missing)
        Samples.copy(done, to: samples + missing, count: count - missing)
        doneCount -= count - missing
        Samples.copy(done + (count - missing), to: done, count: doneCount)
    }
}
