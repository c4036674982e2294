package import Primitives

/// Bounds of the comparison of replicated tables (docs/WIRE.md, "Replicated tables").
package enum TableLimits {
    /// After a change, and when a session begins, a neighbour is sent the digest this number of times,
    /// `digestRepeatInterval` apart: for 4 s. A link on which nothing arrives for that long goes down, unless many
    /// control blocks were lost on it before, and the next session begins anew.
    package static let digestRepeats = 9
    package static let digestRepeatInterval = Interval.milliseconds(500)
    /// Interval between the digests that one neighbour is sent at rest.
    package static let digestInterval = Interval.seconds(5)
    /// A node sends its summary when a digest has differed for a round trip and this time: until then, an entry that
    /// was pushed may be under way.
    package static let differenceMin = Interval.milliseconds(250)
    /// Summaries of one neighbour that are answered, as fast as `ComparisonSchedule` lets it send them. Two at once,
    /// because two that left a second apart may arrive closer together.
    package static let answersBurst = 2
    package static let answerInterval = ComparisonSchedule.interval
    /// Entries that one neighbour may push without being asked.
    package static let pushesBurst = 8
    package static let pushInterval = Interval.seconds(1)
    /// Entries that wait for the check of their signatures. Further ones are dropped, and come with a later comparison.
    package static let arrivalsMax = 1_024
    /// Entries that are checked at once, and the interval until the next: two signatures take 0.15 ms, and voice must
    /// not wait for all entries of a frame.
    package static let checksAtOnce = 4
    package static let checkInterval = Interval.milliseconds(4)
}
