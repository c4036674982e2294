package import Primitives

/// The own output on the line of the own input: for each captured block, what was sounding meanwhile.
///
/// Both cards' samples are counted, not timed: instants only tell, once, which played sample sounded
/// as sample 0 was captured (`offset`). That holds as long as one clock drives both; estimates jitter
/// with the threads, so they move the offset only where four blocks in a row contradict it: after a gap. A longer
/// wait would be heard: until then the echo comes back as it is.
/// The reference runs `leadSamples` ahead, since an echo canceller needs the cause before the effect.
package struct EchoReference: ~Copyable {
    /// Times that the two lines were tied anew.
    package private(set) var ties: UInt64 = 0

    private let line: UnsafeMutablePointer<Float>
    /// Samples ever played, and ever captured.
    private var written: Int64 = 0
    private var taken: Int64 = 0
    private var offset: Int64?
    /// A played position, and when it sounds.
    private var latest: (position: Int64, instant: Instant)?
    private var deviations = 0

    package init() {
        line = .allocate(capacity: Self.capacity)
        line.initialize(repeating: 0, count: Self.capacity)
    }

    deinit { line.deallocate() }

    /// A block of the final mix, whose first sample sounds at `playsAt`.
    package mutating func append(_ samples: UnsafePointer<Float>, count: Int, playsAt: Instant) {
        latest = (written, playsAt)
        for index in 0..<count { line[Self.place(written &+ Int64(index))] = samples[index] }
        written &+= Int64(count)
    }

    /// Fills `block` with what sounded while the next `count` samples were captured, the first of them
    /// at `capturedAt`; silence where nothing is known.
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
    private static let jitterSamples: Int64 = 96
    private static let deviationsMax = 4
}
