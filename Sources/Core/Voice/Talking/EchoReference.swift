package import Primitives

/// Aligns this node's output with its input: returns, for each captured block, the sound that the loudspeaker played
/// at that time. The echo canceller subtracts its echo.
///
/// Instants are used only to find `offset`, the distance between the sample counts of the two cards. After that,
/// samples are counted, which is exact as long as one clock drives both cards. The instants jitter with the wake-ups of
/// the threads. So `offset` changes only after four blocks in a row contradict it: after a gap in the sound, or when
/// two clocks have drifted apart. More blocks would be audible: until `offset` is right again, the echo is not
/// cancelled.
/// The reference runs `leadSamples` ahead, so that it precedes its echo although `offset` is only an estimate.
package struct EchoReference: ~Copyable {
    /// Number of times that `offset` was set.
    package private(set) var ties: UInt64 = 0

    /// Ring of the latest played samples.
    private let line: UnsafeMutablePointer<Float>
    /// Number of all played samples, and of all captured samples.
    private var written: Int64 = 0
    private var taken: Int64 = 0
    /// Index of a played sample less the index of the captured sample that it belongs to; nil before the first block.
    private var offset: Int64?
    /// Index of a played sample, and the instant at which it sounds.
    private var latest: (position: Int64, instant: Instant)?
    /// Blocks in a row whose instants contradict `offset`.
    private var deviations = 0

    package init() {
        line = .allocate(capacity: Self.capacity)
        line.initialize(repeating: 0, count: Self.capacity)
    }

    deinit { line.deallocate() }

    /// Appends a block of the final mix, whose first sample sounds at `playsAt`.
    package mutating func append(_ samples: UnsafePointer<Float>, count: Int, playsAt: Instant) {
        latest = (written, playsAt)
        for index in 0..<count { line[Self.place(written &+ Int64(index))] = samples[index] }
        written &+= Int64(count)
    }

    /// Fills `block` with the played sound for the next `count` captured samples, the first of which was captured at
    /// `capturedAt`. Samples that are not known are 0.
    package mutating func take(into block: UnsafeMutablePointer<Float>, count: Int, capturedAt: Instant) {
        tie(capturedAt)
        let start = offset.map { taken &+ $0 } ?? .min / 2
        for index in 0..<count {
            let position = start &+ Int64(index)
            let isKnown = max(0, written &- Int64(Self.capacity)) <= position && position < written
            block[index] = isKnown ? line[Self.place(position)] : 0
        }
        taken &+= Int64(count)
    }

    private mutating func tie(_ capturedAt: Instant) {
        guard let latest else { return }
        let sounding = latest.position &+ Int64((capturedAt - latest.instant).samples)
        let estimate = sounding &+ Self.leadSamples &- taken
        if let offset, abs(offset &- estimate) <= Self.jitterSamples {
            deviations = 0
            return
        }
        deviations += 1
        guard offset == nil || Self.deviationsMax <= deviations else { return }
        (offset, deviations) = (estimate, 0)
        ties &+= 1
    }

    private static func place(_ position: Int64) -> Int { Int(truncatingIfNeeded: position & Int64(capacity - 1)) }

    /// 340 ms.
    private static let capacity = 16_384
    /// 2 ms.
    package static let leadSamples: Int64 = 96
    /// Deviation that counts as jitter of the threads: 2 ms.
    private static let jitterSamples: Int64 = 96
    /// Blocks in a row with a larger deviation, after which the offset follows.
    private static let deviationsMax = 4
}
