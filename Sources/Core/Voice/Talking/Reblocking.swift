/// Serves periods of any size to a worker that wants blocks of one size, with the least delay that
/// the two sizes allow: 0 where a period is a whole number of blocks, else block less their common part.
package struct Reblocking: ~Copyable {
    /// Samples by which the sound is later than it came; grows once, with the first periods.
    package private(set) var delaySamples = 0

    private let blockSamples: Int
    private let waiting: UnsafeMutablePointer<Float>
    private var waitingCount = 0
    private let done: UnsafeMutablePointer<Float>
    private var doneCount = 0

    /// - Parameter periodSamplesMax: of one call.
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

    /// Replaces `samples` by what the worker made of them and of those before.
    /// - Parameter work: a block in place, and how many samples before the period it began.
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
