package import Primitives

/// The time axis of a recording, in samples at 48 kHz. It is tied to CLOCK_MONOTONIC.
///
/// Each piece of sound comes with its position on the card and the instant at which it sounds. The positions are even,
/// the instants are not. So sound is placed by its position on the card, and the card drifts from the clock. The first
/// sound after a pause is placed by the clock if the two differ by more than 2 ms. Sound without a pause is placed by
/// the clock only if they differ by more than 100 ms: the device stood still, or another one was opened.
package struct RecordingAxis {
    private var cardPosition: Int64?
    /// The end of the sound so far, on the card.
    private var end: Int64 = 0
    /// The place on the axis minus the position on the card.
    private var offset: Int64 = 0

    package init() {}

    /// The place on the axis of a piece of `count` samples. Its first sample has the `position` on the card, which
    /// wraps, and sounds at `instant`. The mix and the tracks share the axis.
    package mutating func place(of position: SampleTime, at instant: Instant, count: Int) -> Int64 {
        let card =
            cardPosition.map {
                $0 + Int64(position.distance(after: SampleTime(samples: UInt32(truncatingIfNeeded: $0))))
            }
            ?? Int64(position.samples)
        let measured = RecordingAxis.place(of: instant)
        let parted = abs(card + offset - measured)
        // The sound must not move onto what is written already.
        let isAfterPause = end < card && end + offset <= measured
        if cardPosition == nil || Self.standstillSamples < parted {
            // After half a day without sound the position on the card has wrapped, so `end` begins anew too.
            (offset, end) = (measured - card, card)
        } else if isAfterPause && Self.driftSamples < parted {
            offset = measured - card
        }
        cardPosition = card
        end = max(end, card + Int64(count))
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

    /// 2 ms.
    private static let driftSamples: Int64 = 96
    /// 100 ms.
    private static let standstillSamples: Int64 = 4_800
}
