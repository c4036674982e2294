package import Primitives

/// The time axis of a recording, in samples at 48 kHz. It is tied to CLOCK_MONOTONIC.
///
/// Each piece of sound comes with its position on the card and the instant at which it sounds. The positions are even,
/// the instants are not. So sound is placed by its position on the card. Only if that differs from the clock by more
/// than 20 ms (the device stood still, or another one was opened) the sound moves, and leaves a gap.
package struct RecordingAxis {
    private var cardPosition: Int64?
    /// The place on the axis minus the position on the card.
    private var offset: Int64 = 0

    package init() {}

    /// The place on the axis of a sound. Its first sample has the `position` on the card, which wraps, and sounds at
    /// `instant`.
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

    /// The place of the first sample at `instant` or later.
    package static func place(of instant: Instant) -> Int64 {
        let milliseconds = instant.nanoseconds / 1_000_000
        return milliseconds * 48 + (instant.nanoseconds % 1_000_000 * 48 + 999_999) / 1_000_000
    }

    /// The instant at which the sample at `place` sounds.
    package static func instant(of place: Int64) -> Instant {
        Instant(nanoseconds: place / 48 * 1_000_000 + place % 48 * 1_000_000 / 48)
    }

    private static let partedSamples: Int64 = 960
}
