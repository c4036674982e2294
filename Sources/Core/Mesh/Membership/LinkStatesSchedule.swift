package import Primitives

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
package struct LinkStatesSchedule: Sendable {
    package private(set) var dueAt: Instant = .distantFuture
    private var sentAt: Instant?

    package init() {}

    /// Schedules a comparison after a change of the given kind.
    package mutating func change(_ news: LinkNews = .link, now: Instant) {
        dueAt = min(dueAt, max(now + news.delay, sentAt.map { $0 + news.interval } ?? now))
    }

    /// Notes that a comparison was made.
    package mutating func compared(isAnySent: Bool, now: Instant, nextAt: Instant) {
        if isAnySent { sentAt = now }
        dueAt = nextAt
    }
}
