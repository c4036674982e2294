import Mesh
package import Primitives
import Wire

/// The means by which nodes discover each other: their own beacons, an Avahi-like directory, or both.
package struct DiscoveryRule: Hashable, Codable, Sendable {
    package var hasBeacon: Bool
    package var hasDirectory: Bool
    /// Delay of a directory's hint, evenly drawn.
    package var directoryDelay: ClosedRange<Interval>
    /// Directory hints of each 1,000 that never arrive.
    package var directoryLossPermille: UInt64
    /// Directory hints of each 1,000 that arrive twice.
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

/// The entry of a node in the discovery directory (like Avahi): its addresses with its NodeID, or in a closed mesh with
/// its sealed NodeID.
struct SimAdvert {
    let hint: PeerHint
    var service: SealedService?

    var input: MeshInput { service.map { .serviceFound($0, at: hint.endpoints) } ?? .discovered(hint) }
}

/// Which node may discover which, and what the directory remembers.
///
/// The directory forgets a node whose process ends, as Avahi does when its client disconnects. It still reports a
/// machine that has vanished: that advert is stale.
package struct SimDiscovery {
    package var rule: DiscoveryRule
    private let hostCount: Int
    private var isHidden: [Bool]
    private var adverts: [SimAdvert?]
    /// By listener and subject, whether the subject's advert could not reach the listener and must be sent again.
    private var isOwed: [Bool]
    /// A generator for each listener and subject, as the network has one for each ordered pair.
    private var randoms: [SeededRandom]

    package init(rule: DiscoveryRule, hostCount: Int, random: SeededRandom) {
        self.rule = rule
        self.hostCount = hostCount
        var source = random
        randoms = (0..<hostCount * hostCount).map { _ in source.split() }
        isHidden = Array(repeating: false, count: hostCount * hostCount)
        adverts = Array(repeating: nil, count: hostCount)
        isOwed = isHidden
    }

    /// Whether `listener` can learn of `subject` by discovery at all.
    package func canHear(_ listener: Int, _ subject: Int) -> Bool { !isHidden[listener * hostCount + subject] }

    package mutating func setHearing(_ isHearing: Bool, of listener: Int, for subject: Int) {
        isHidden[listener * hostCount + subject] = !isHearing
    }

    package mutating func setHearingEverywhere(_ isHearing: Bool) {
        for index in isHidden.indices { isHidden[index] = !isHearing }
    }

    /// Notes whether `listener` missed an advert that `subject` sent. If so, the advert is sent to it again later.
    mutating func note(isOwed: Bool, to listener: Int, of subject: Int) {
        self.isOwed[listener * hostCount + subject] = isOwed
    }

    /// Whether `listener` missed an advert of `subject`.
    func isOwed(to listener: Int, of subject: Int) -> Bool { isOwed[listener * hostCount + subject] }

    mutating func announce(_ record: NodeRecord, by subject: Int) {
        adverts[subject] = SimAdvert(
            hint: PeerHint(source: .avahi, node: record.node, endpoints: record.endpoints),
            service: adverts[subject]?.service)
    }

    /// Seals the advert of a node that has announced its record.
    mutating func announce(_ service: SealedService, by subject: Int) { adverts[subject]?.service = service }

    mutating func withdraw(_ subject: Int) { adverts[subject] = nil }

    func advert(of subject: Int) -> SimAdvert? { adverts[subject] }

    /// Returns the delays with which one listener gets the hint about one node from its directory (mDNS): an empty list
    /// if the hint is lost or there is no directory, two delays if the hint comes twice.
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
