import Primitives

/// The clock of a simulated device: sample `i` always belongs to the instant `origin + i / 48 kHz`.
///
/// Every instant is computed from the origin and never from the previous instant. So no errors add up, and the
/// recordings and sources of several processes share one axis.
struct SampleAxis {
    let origin: Instant

    func instant(ofSample index: Int64) -> Instant {
        origin + Interval(nanoseconds: index / 48 * 1_000_000 + index % 48 * 1_000_000 / 48)
    }

    /// The first sample that belongs to `instant` or later; negative before the origin.
    func sample(at instant: Instant) -> Int64 {
        let elapsed = (instant - origin).nanoseconds
        let milliseconds = elapsed / 1_000_000
        return milliseconds * 48 + (elapsed % 1_000_000 * 48 + 999_999) / 1_000_000
    }
}
