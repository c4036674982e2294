package import Primitives

/// One line of samples for all that is recorded, tied to CLOCK_MONOTONIC.
///
/// Sound comes with its place on the card's line and the instant at which it sounds. The card's line is
/// even, the instants are not; so sound is laid along the card's line, and only where that has
/// parted from the clock by more than 20 ms (the device stood still, or another one was opened) does
/// it move, and leaves a gap.
package struct RecordingAxis {
    private var cardPosition: Int64?
    /// Axis less card.
    private var offset: Int64 = 0

    package init() {}

    /// Where sound belongs whose first sample is `position` on the card's line, wrapped, and sounds at `instant`.
    package mutating func place(of position: SampleTime, at instant: Instant) -> Int64 {
        let card =
            cardPosition.map {
                $0 + Int64(position.distance(after: SampleTime(samples: UInt32(truncatingIfNeeded: $0))))
            }
            ?? Int64(position.samples)
        let measured = RecordingAxis.place(of: instant)
        if cardPosition == nil || Self.partedSamples < abs(card + offset - measured) { offset = measured - card }
        cardPosition = card
        return card + offset
    }

    /// The first sample at `instant` or later.
    package static func place(of instant: Instant) -> Int64 {
        let milliseconds = instant.nanoseconds / 1_000_000
        return milliseconds * 48 + (instant.nanoseconds % 1_000_000 * 48 + 999_999) / 1_000_000
    }

    /// When a sample sounds.
    package static func instant(of place: Int64) -> Instant {
        Instant(nanoseconds: place / 48 * 1_000_000 + place % 48 * 1_000_000 / 48)
    }

    private static let partedSamples: Int64 = 960
}
