package import Primitives

/// Samples moved against the clock, for a device that may not keep time itself.
///
/// `null` and `file` take and give at once; some plugins do so for a while and then not. A stream
/// that gets further ahead of the clock within a second than a device could is paced by the clock
/// from then on. Within a second, since over an hour every card that runs fast would be caught.
package struct PaceKeeper {
    package private(set) var keepsTime: Bool
    private let aheadSamplesMax: Int64
    private var origin = Instant.zero
    private var samples: Int64 = 0

    package init(keepsTime: Bool, bufferSamples: Int) {
        self.keepsTime = keepsTime
        aheadSamplesMax = Int64(bufferSamples + AlsaLimits.aheadOfClockMax.samples)
    }

    /// Counting starts at `now`.
    package mutating func restart(at now: Instant) {
        origin = now
        samples = 0
    }

    /// `count` samples have been read or written.
    package mutating func moved(_ count: Int, now: Instant) {
        samples += Int64(count)
        guard keepsTime else { return }
        if aheadSamplesMax < ahead(of: now) {
            keepsTime = false
            restart(at: now)
        } else if AlsaLimits.paceWindow < now - origin {
            restart(at: now)
        }
    }

    /// Samples moved beyond what the clock accounts for; negative when behind.
    func ahead(of now: Instant) -> Int64 { samples - Int64((now - origin).samples) }

    /// When `count` more samples are due.
    func due(after count: Int) -> Instant {
        origin + Interval(samples: Int(samples) + count)
    }
}
