/// A talker's decoded sound that has not been played yet, read through a `RateAdjuster`.
///
/// `next` is the position, on the talker's clock, of the sample that is appended next. The sample that is played next
/// lies `count` samples before `next`.
struct PlayoutBuffer: BitwiseCopyable {
    private(set) var count = 0
    /// Position of the next sample to be appended.
    var next: Int64 = .min / 2
    var rateAdjuster = RateAdjuster()
    private let samples: UnsafeMutablePointer<Float>

    init() {
        samples = .allocate(capacity: Self.capacity)
        samples.initialize(repeating: 0, count: Self.capacity)
    }

    func destroy() { samples.deallocate() }

    /// Position of the next sample to be played.
    var playing: Int64 { next &- Int64(count) }

    /// Empties the buffer and its history; the next sample appended has `position`.
    @_noAllocation @_noLocks
    mutating func restart(at position: Int64) {
        Samples.silence(samples, count: RateAdjuster.history)
        count = 0
        next = position
        rateAdjuster.stop()
    }

    /// Discards the samples that have not been played. The last samples that were played stay as history.
    @_noAllocation @_noLocks
    mutating func jump(to position: Int64) {
        count = 0
        next = position
        rateAdjuster.stop()
    }

    /// Appends `added` samples, or zeros if `source` is nil; `next` advances by `moving`.
    @_noAllocation @_noLocks
    mutating func append(_ source: UnsafePointer<Float>?, count added: Int, moving: Int) {
        precondition(RateAdjuster.history + count + added <= Self.capacity, "the playout buffer is full")
        let end = samples + RateAdjuster.history + count
        if let source { Samples.copy(source, to: end, count: added) } else { Samples.silence(end, count: added) }
        count += added
        next &+= Int64(moving)
    }

    /// Returns the number of samples that must be in the buffer before `outputs` samples are played.
    @_noAllocation @_noLocks
    func needed(for outputs: Int) -> Int { rateAdjuster.inputCount(for: outputs) + (rateAdjuster.isRunning ? 1 : 0) }

    @_noAllocation @_noLocks
    mutating func play(into output: UnsafeMutablePointer<Float>, count outputs: Int) {
        let used = rateAdjuster.run(samples + RateAdjuster.history, into: output, count: outputs)
        // The unplayed rest and the history before it move to the front.
        Samples.copy(samples + used, to: samples, count: RateAdjuster.history + count - used)
        count -= used
    }

    private static let capacity =
        RateAdjuster.history + VoiceLimits.blockSamplesMax + VoiceLimits.blockSamplesMax / 512 + 2
        * VoiceLimits.frameSamplesMax
}
