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

    /// Stores that a comparison was made, and schedules the next one. None is scheduled without a link.
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
