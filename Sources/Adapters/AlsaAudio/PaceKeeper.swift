package import Primitives

/// Compares the number of moved samples with the clock, for a device that may not keep time itself.
///
/// `null` and `file` take and give samples at once. Some plugins do so for a while. If a stream gets further ahead of
/// the clock within a second than a real device could, the clock sets its pace from then on. The limit is for one
/// second, since over an hour every card with a fast clock would exceed it.
package struct PaceKeeper {
    package private(set) var keepsTime: Bool
    private let aheadSamplesMax: Int64
    private var origin = Instant.zero
    private var samples: Int64 = 0

    package init(keepsTime: Bool, bufferSamples: Int) {
        self.keepsTime = keepsTime
        aheadSamplesMax = Int64(bufferSamples + AlsaLimits.aheadOfClockMax.samples)
    }

    /// Begins to count at `now`.
    package mutating func restart(at now: Instant) {
        origin = now
        samples = 0
    }

    /// Call it when `count` samples have been read or written.
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

    /// Number of moved samples minus the number that the clock allows; negative if the device is behind.
    func ahead(of now: Instant) -> Int64 { samples - Int64((now - origin).samples) }

    /// The instant at which `count` more samples are due.
    func due(after count: Int) -> Instant {
        origin + Interval(samples: Int(samples) + count)
    }
}
