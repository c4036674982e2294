package import Primitives
package import Wire

/// The link states that one node advertises.
package struct LinkStates: Equatable, Sendable {
    package let entries: [AdvertisedLink]
    /// The digest of the set of peers in the entries.
    let peersDigest: UInt64

    package init(_ entries: [AdvertisedLink] = []) {
        self.entries = entries
        peersDigest = CliqueState.digest(of: entries.map(\.peer))
    }

    /// The link states `entries`, but an entry that differs too little from that in `advertised` stays as advertised:
    /// the instance and the path are equal, and the classes of round trip and loss differ by at most one. So a value at
    /// the edge of two classes does not count as a change.
    package init(_ entries: [AdvertisedLink], settledAfter advertised: LinkStates) {
        self.init(
            entries.map { entry in
                guard let old = advertised[entry.peer], old.instance == entry.instance, old.path == entry.path,
                    abs(Int(old.rttClass) - Int(entry.rttClass)) <= 1,
                    abs(Int(old.lossClass) - Int(entry.lossClass)) <= 1
                else { return entry }
                return old
            })
    }

    /// The link to `peer`; nil if none is advertised.
    package subscript(peer: NodeID) -> AdvertisedLink? { entries.first { $0.peer == peer } }
}

extension AdvertisedLink {
    /// This node's link to a neighbour, as it advertises the link.
    init(_ neighbour: Neighbour) {
        self.init(
            peer: neighbour.node, instance: neighbour.instance, path: neighbour.path,
            rttClass: AdvertisedLink.rttClass(neighbour.rtt),
            lossClass: AdvertisedLink.lossClass(permille: neighbour.lossPermille))
    }

    /// Returns the class of a round trip: 0 below 1 ms, one more for each doubling, at most 14; 15 if unknown.
    static func rttClass(_ rtt: Interval?) -> UInt8 {
        guard let rtt else { return 15 }
        var rest = rtt.milliseconds
        var rttClass: UInt8 = 0
        while 0 < rest, rttClass < 14 {
            rest /= 2
            rttClass += 1
        }
        return rttClass
    }

    static func lossClass(permille: UInt16?) -> UInt8 {
        switch permille ?? 0 {
        case 0: 0
        case ..<10: 1
        case ..<50: 2
        case ..<100: 3
        case ..<200: 4
        default: 5
        }
    }
}

/// The kind of a change in this node's link states. It decides how soon they are advertised.
package enum LinkNews: Sendable {
    /// A link was made or lost: advertised after 50 ms, at most once a second.
    case link
    /// The path to a peer changed: advertised after 50 ms, at the earliest 4 s after the last advertisement.
    case path
    /// A link of a flapping peer was made or lost: advertised after 4 s, because it may have changed back by then.
    case flap

    fileprivate var delay: Interval {
        self == .flap ? MeshLimits.linkStatesIntervalPatient : MeshLimits.linkStatesDelay
    }

    fileprivate var interval: Interval {
        self == .link ? MeshLimits.linkStatesInterval : MeshLimits.linkStatesIntervalPatient
    }
}

/// When this node compares its link states with those that it last sent to each neighbour.
///
/// If no link and no path changes, a comparison finds new classes of round trip and loss alone. They come and go with
/// the network's jitter, and each costs all entries to each neighbour. So a change of classes makes the next comparison
/// wait in proportion to the number of links: at most 10 bytes a second go to each neighbour (promise I17).
package struct LinkStatesSchedule: Sendable {
    package private(set) var dueAt: Instant = .distantFuture
    private var sentAt: Instant?
    /// Whether a link or path has changed since the last comparison.
    private var isChanged = true

    package init() {}

    /// Schedules a comparison after a change of the given kind.
    package mutating func change(_ news: LinkNews = .link, now: Instant) {
        isChanged = true
        dueAt = min(dueAt, max(now + news.delay, sentAt.map { $0 + news.interval } ?? now))
    }

    /// Stores that this node has compared its link states with those that its neighbours were sent. Schedules the next
    /// comparison, or none if this node has no link.
    package mutating func compared(isAnySent: Bool, linkCount: Int, now: Instant) {
        if isAnySent { sentAt = now }
        let areClassesSent = isAnySent && !isChanged
        isChanged = false
        guard 0 < linkCount else {
            dueAt = .distantFuture
            return
        }
        let pause = areClassesSent ? MeshLimits.linkStatesClassIntervalPerLink * Int64(linkCount) : .zero
        dueAt = now + MeshLimits.linkStatesClassInterval + pause
    }
}
