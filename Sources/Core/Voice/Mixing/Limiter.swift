/// Keeps a mix of many talkers below full scale without delaying it.
///
/// Looks ahead only to the end of the current segment of 1.25 ms. The segment's peak determines the gain at the
/// segment's end, which is reached linearly; a soft knee bends the samples that are still too loud. Attack is within
/// one segment, release takes about 60 ms. Samples below the threshold stay unchanged while the gain is 1.
package struct Limiter: BitwiseCopyable {
    /// Factor for the mix now; 1 if nothing is too loud.
    package private(set) var gain: Float = 1

    package init() {}

    /// Limits one channel, or two with a common gain, so that a loud talker on one side does not shift the other
    /// talkers.
    @_noAllocation @_noLocks
    package mutating func process(
        _ samples: UnsafeMutablePointer<Float>, _ other: UnsafeMutablePointer<Float>? = nil, count: Int
    ) {
        var start = 0
        while start < count {
            let length = min(Self.segmentSamples, count - start)
            if let other {
                limit(samples + start, other + start, count: length)
            } else {
                limit(samples + start, nil, count: length)
            }
            start += length
        }
    }

    private mutating func limit(
        _ segment: UnsafeMutablePointer<Float>, _ other: UnsafeMutablePointer<Float>?, count: Int
    ) {
        var peak = Samples.peak(segment, count: count)
        if let other { peak = max(peak, Samples.peak(other, count: count)) }
        let allowed = Self.threshold < peak ? Self.threshold / peak : 1
        // The last segment of a block may be shorter.
        let released = gain + (1 - gain) * Self.release * (Float(count) / Float(Self.segmentSamples))
        let end = allowed < gain ? allowed : (Self.wholeGain < released ? min(1, allowed) : min(released, allowed))
        guard gain != 1 || end != 1 || Self.threshold < peak else { return }
        apply(until: end, to: segment, count: count)
        if let other { apply(until: end, to: other, count: count) }
        gain = end
    }

    private func apply(until end: Float, to segment: UnsafeMutablePointer<Float>, count: Int) {
        let step = (end - gain) / Float(count)
        for index in 0..<count {
            segment[index] = Self.softClipped(segment[index] * (gain + step * Float(index + 1)))
        }
    }

    /// Returns `x` up to the threshold. Above it, follows a curve that starts with the same slope and stays below 1.
    private static func softClipped(_ x: Float) -> Float {
        let magnitude = abs(x)
        guard threshold < magnitude else { return x }
        let over = (magnitude - threshold) / (1 - threshold)
        let bent = threshold + (1 - threshold) * over / (1 + over)
        return x < 0 ? -bent : bent
    }

    /// 1.25 ms.
    private static let segmentSamples = 60
    /// -1 dBFS.
    private static let threshold: Float = 0.891
    /// Share of the missing gain that is released in a whole segment: a time constant of 60 ms.
    private static let release: Float = 0.02
    /// A gain that is released beyond this counts as 1.
    private static let wholeGain: Float = 0.9999
}
