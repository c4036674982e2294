/// A histogram of the delays of frames, in buckets of 0.25 ms.
///
/// Forgetting is exponential with a fast start: the n-th frame has at least 2/(n+1) of the weight, so that the first
/// second already counts (as in NetEq's histogram). Old weights are not scaled down for each frame. Instead, the
/// weight of new frames grows, and all weights are rescaled when their sum exceeds a bound.
struct DelayHistogram: BitwiseCopyable {
    private let weights: UnsafeMutablePointer<Float>
    /// Sum of the weights.
    private(set) var total: Float = 0
    private(set) var count = 0

    init() {
        weights = .allocate(capacity: VoiceLimits.delayBuckets)
        weights.initialize(repeating: 0, count: VoiceLimits.delayBuckets)
    }

    func destroy() { weights.deallocate() }

    /// Weights of the buckets, the shortest delay first; they change with each frame.
    var bucketWeights: UnsafeBufferPointer<Float> {
        UnsafeBufferPointer(start: weights, count: VoiceLimits.delayBuckets)
    }

    @_noAllocation @_noLocks
    mutating func removeAll() {
        weights.update(repeating: 0, count: VoiceLimits.delayBuckets)
        (total, count) = (0, 0)
    }

    /// Adds a frame of `frameSamples` samples that came `delay` samples after the quickest; its weight is multiplied
    /// by `share`.
    @_noAllocation @_noLocks
    mutating func insert(delay: Int64, frameSamples: Int, share: Float = 1) {
        let place = max(0, delay) / Int64(VoiceLimits.delayBucketSamples)
        let bucket = Int(min(Int64(VoiceLimits.delayBuckets - 1), place))
        let forget = min(1 - Float(frameSamples) / Self.memorySamples, 1 - 2 / Float(count + 2))
        let weight = share * (0 < forget && 0 < total ? total * (1 - forget) / forget : 1)
        weights[bucket] += weight
        total += weight
        count += 1
        if Self.rescaleAbove < total { rescale() }
    }

    /// Returns the delay, in samples, within which `share` of the frames came.
    @_noAllocation @_noLocks
    func quantile(_ share: Float) -> Int64 {
        var sum: Float = 0
        for bucket in 0..<VoiceLimits.delayBuckets {
            sum += weights[bucket]
            if share * total <= sum { return Int64((bucket + 1) * VoiceLimits.delayBucketSamples) }
        }
        return Int64(VoiceLimits.delayBuckets * VoiceLimits.delayBucketSamples)
    }

    private mutating func rescale() {
        var sum: Float = 0
        for bucket in 0..<VoiceLimits.delayBuckets {
            weights[bucket] /= total
            sum += weights[bucket]
        }
        total = sum
    }

    /// Time constant of forgetting: 30 s of talk.
    private static let memorySamples: Float = 30 * 48_000
    /// Sum of the weights above which all are divided by it.
    private static let rescaleAbove: Float = 1_000_000
}
