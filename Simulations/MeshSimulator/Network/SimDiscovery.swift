package import Mesh
package import Primitives
package import Wire

/// How word of a node reaches the others: its own beacon, an Avahi-like directory, or both.
package struct DiscoveryRule: Hashable, Codable, Sendable {
    package var hasBeacon: Bool
    package var hasDirectory: Bool
    /// A directory's word comes this late, evenly drawn.
    package var directoryDelay: ClosedRange<Interval>
    /// Of 1,000 words of the directory, so many never come …
    package var directoryLossPermille: UInt64
    /// … and so many come twice.
    package var directoryDuplicatePermille: UInt64

    package init(
        hasBeacon: Bool = true, hasDirectory: Bool = true,
        directoryDelay: ClosedRange<Interval> = .milliseconds(20)...(.milliseconds(400)),
        directoryLossPermille: UInt64 = 0, directoryDuplicatePermille: UInt64 = 0
    ) {
        self.hasBeacon = hasBeacon
        self.hasDirectory = hasDirectory
        self.directoryDelay = directoryDelay
        self.directoryLossPermille = directoryLossPermille
        self.directoryDuplicatePermille = directoryDuplicatePermille
    }
}

/// Who may discover whom, and what the directory remembers.
///
/// The directory forgets a node whose process ends, as Avahi does when its client disconnects. It
/// goes on telling of a machine that vanished: such adverts are stale until their time is over.
package struct SimDiscovery {
    package var rule: DiscoveryRule
    private let hostCount: Int
    private var hasReceiveOutage: [Bool]
    private var adverts: [PeerHint?]
    /// Whose word a listener missed because it could not come to it.
    private var isOwed: [Bool]
    /// A generator for each listener and subject, as the network has one for each way.
    private var randoms: [SeededRandom]

    package init(rule: DiscoveryRule, hostCount: Int, random: SeededRandom) {
        self.rule = rule
        self.hostCount = hostCount
        var source = random
        randoms = (0..<hostCount * hostCount).map { _ in source.split() }
        hasReceiveOutage = Array(repeating: false, count: hostCount * hostCount)
        adverts = Array(repeating: nil, count: hostCount)
        isOwed = hasReceiveOutage
    }

    /// Whether `listener` can learn of `subject` by discovery at all.
    package func canHear(_ listener: Int, _ subject: Int) -> Bool { !hasReceiveOutage[listener * hostCount + subject] }

    package mutating func setHearing(_ isHearing: Bool, of listener: Int, for subject: Int) {
        hasReceiveOutage[listener * hostCount + subject] = !isHearing
    }

    package mutating func setHearingEverywhere(_ isHearing: Bool) {
        for index in hasReceiveOutage.indices { hasReceiveOutage[index] = !isHearing }
    }

    /// Word of `subject` was for `listener` and could not reach it, or has been told now.
    mutating func note(isOwed: Bool, to listener: Int, of subject: Int) {
        self.isOwed[listener * hostCount + subject] = isOwed
    }

    /// Whether `listener` missed word of `subject`.
    func isOwed(to listener: Int, of subject: Int) -> Bool { isOwed[listener * hostCount + subject] }

    package mutating func announce(_ record: NodeRecord, by subject: Int) {
        adverts[subject] = PeerHint(source: .avahi, node: record.node, endpoints: record.endpoints)
    }

    package mutating func withdraw(_ subject: Int) { adverts[subject] = nil }

    package func advert(of subject: Int) -> PeerHint? { adverts[subject] }

    /// When the directory's word of one advert reaches one listener: never, once or twice.
    package mutating func directoryDelays(of subject: Int, to listener: Int) -> [Interval] {
        guard rule.hasDirectory else { return [] }
        let index = listener * hostCount + subject
        let isLost = randoms[index].chance(permille: rule.directoryLossPermille)
        let isDoubled = randoms[index].chance(permille: rule.directoryDuplicatePermille)
        let first = randoms[index].interval(in: rule.directoryDelay)
        let second = randoms[index].interval(in: rule.directoryDelay)
        return isLost ? [] : isDoubled ? [first, second] : [first]
    }
}
