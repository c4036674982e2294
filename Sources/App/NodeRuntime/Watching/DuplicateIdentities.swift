package import Primitives

/// The identities with which two living nodes run. The later one connects again and again, and is refused each time, so
/// people are told once.
package struct DuplicateIdentities {
    /// An identity without a further refusal for this long counts as used once. A refused node tries again after 8 s.
    package static let keptFor = Interval.seconds(60)
    /// One more takes the place of the one that was refused longest ago.
    package static let countMax = 16

    private var entries: [(node: NodeID, seenAt: Instant)] = []

    package init() {}

    /// Notes a refusal. Returns whether it is news.
    package mutating func note(_ node: NodeID, now: Instant) -> Bool {
        let isNews = !contains(node, now: now)
        entries.removeAll { $0.node == node }
        if entries.count == DuplicateIdentities.countMax { entries.removeFirst() }
        entries.append((node, now))
        return isNews
    }

    /// Whether two nodes run with this identity.
    package func contains(_ node: NodeID, now: Instant) -> Bool {
        entries.contains { $0.node == node && now < $0.seenAt + DuplicateIdentities.keptFor }
    }
}
