import Primitives
import SystemClock

/// When an audio thread publishes what it has measured: every `AudioLimits.publishEvery`.
struct PublishPace {
    private var publishedAt = Instant.zero

    /// Whether to publish now.
    mutating func isDue() -> Bool {
        let now = Instant.monotonicNow()
        guard AudioLimits.publishEvery <= now - publishedAt else { return false }
        publishedAt = now
        return true
    }
}
