package import Mesh
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

    /// Notes that two nodes no longer run with this identity.
    package mutating func end(_ node: NodeID) { entries.removeAll { $0.node == node } }

    /// Whether two nodes run with this identity.
    package func contains(_ node: NodeID, now: Instant) -> Bool {
        entries.contains { $0.node == node && now < $0.seenAt + DuplicateIdentities.keptFor }
    }
}

extension DuplicateIdentities {
    /// The remedy, which is the same for both nodes.
    package static let remedy = "stop one of the two, or give the copy another identity: `partyline identity reset`"

    /// What a status says of another node with the identity of this one. It stays the same from one status to the next,
    /// because `top --plain` prints each line that changes.
    /// - Parameters:
    ///   - seen: nil if no beacon of it has come lately.
    ///   - isRefused: whether others refuse this node because of it.
    ///   - timeOfDay: the time of day at an instant, for people.
    package static func finding(
        _ seen: SeenDuplicate?, isRefused: Bool, timeOfDay: (Instant) -> String
    ) -> String {
        "another node runs with the identity of this one"
            + (seen.map { ", at \($0.address) since \(timeOfDay($0.since))" } ?? "")
            + (isRefused ? ", and the others refuse this one" : "")
    }

    /// The line of a status with that finding: it names the remedy too.
    package static func line(of finding: String) -> String { "identity: \(finding); \(remedy)" }
}

extension EventReport {
    /// Another node runs with the identity of this one.
    package static func duplicate(of node: NodeID, named name: String, at address: IPAddress) -> EventReport {
        EventReport(
            .duplicateIdentity, node, name,
            "another node runs with the identity of this node, \(name), at \(address); \(DuplicateIdentities.remedy)",
            ["address": "\(address)"])
    }
}
