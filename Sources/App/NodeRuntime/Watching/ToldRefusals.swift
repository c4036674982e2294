package import Primitives
package import Wire

/// The refusals of which people were told lately. A node tries several addresses of a peer at once, so one attempt may
/// be refused several times, and people are told once.
package struct ToldRefusals {
    /// The first and the last address of one attempt may be tried that long apart. A later refusal is of another one.
    package static let attemptMax = Interval.seconds(2)
    /// One more takes the place of the oldest.
    package static let countMax = 16

    private var entries: [(node: NodeID, reason: RefusalReason, at: Instant)] = []

    package init() {}

    /// Returns whether people have to be told of a refusal now, and remembers it if so.
    package mutating func tells(_ node: NodeID, _ reason: RefusalReason, now: Instant) -> Bool {
        entries.removeAll { $0.at + ToldRefusals.attemptMax <= now }
        guard !entries.contains(where: { $0.node == node && $0.reason == reason }) else { return false }
        if entries.count == ToldRefusals.countMax { entries.removeFirst() }
        entries.append((node, reason, now))
        return true
    }
}
