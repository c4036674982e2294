package import Primitives
package import Wire

/// Kind of a change of the own link states; it decides when they are advertised.
package enum LinkNews: Sendable {
    /// A link was made or lost: advertised after 50 ms, at most once a second.
    case link
    /// The path to a peer changed: advertised after 50 ms, at the earliest 4 s after the last advertisement.
    case path
    /// A link of a flapping peer was made or lost: advertised after 4 s, because it may have changed back by then.
    case flap
}

/// When this node advertises its own link states.
package struct LinkAdvertisementSchedule: Sendable {
    package private(set) var dueAt: Instant = .distantFuture
    private var checkedAt: Instant?
    private var advertisedAt: Instant?
    /// The link states that were advertised last.
    package private(set) var advertised: [AdvertisedLink] = []
    /// Number of advertisements so far.
    package private(set) var number: UInt64 = 0

    package init() {}

    /// Schedules a check of the own link states after a change of the given kind. The check comes at the earliest 1 s
    /// after the last check, and 1 s (`link`) or 4 s (`path`, `flap`) after the last advertisement.
    package mutating func change(_ news: LinkNews = .link, now: Instant) {
        let patient = MeshLimits.linkStatesIntervalPatient
        let apart = news == .link ? MeshLimits.linkStatesInterval : patient
        let soonest = now + (news == .flap ? patient : MeshLimits.linkStatesDelay)
        let lookedAt = checkedAt.map { $0 + MeshLimits.linkStatesInterval } ?? now
        dueAt = min(dueAt, max(soonest, lookedAt, advertisedAt.map { $0 + apart } ?? now))
    }

    /// Notes a check of the own link states, whether or not it led to an advertisement.
    package mutating func checked(now: Instant, nextCheckAt: Instant) {
        checkedAt = now
        dueAt = nextCheckAt
    }

    /// Notes that `links` are advertised now.
    package mutating func advertise(_ links: [AdvertisedLink], now: Instant) {
        advertisedAt = now
        advertised = links
        number += 1
    }
}

/// The advertisement that was last sent to a peer, and its carrier. On that carrier the next advertisement may
/// consist of the differences only.
package struct LinksAdvertised: Hashable, Sendable {
    package var carrier: CarrierID
    package var number: UInt64
}

extension [AdvertisedLink] {
    /// Returns these link states, but keeps the entry of `advertised` if instance and path are equal and the classes
    /// of round trip and loss differ by at most one: a value on the edge of two classes is no change.
    package func settled(after advertised: [AdvertisedLink]) -> [AdvertisedLink] {
        map { entry in
            guard let old = advertised.first(where: { $0.peer == entry.peer }), old.instance == entry.instance,
                old.path == entry.path, abs(Int(old.rttClass) - Int(entry.rttClass)) <= 1,
                abs(Int(old.lossClass) - Int(entry.lossClass)) <= 1
            else { return entry }
            return old
        }
    }

    /// Returns the changes from `advertised` to these link states: lost links first, then new or different ones.
    package func changes(since advertised: [AdvertisedLink]) -> [LinkChange] {
        let lost = advertised.filter { old in !contains { $0.peer == old.peer } }.map { LinkChange.lost($0.peer) }
        return lost + filter { !advertised.contains($0) }.map { LinkChange.advertised($0) }
    }

    /// Returns the link states after the sender's changes, which may name a peer more than once. The caller applies
    /// the bound of 64 entries.
    package func applying(_ changes: [LinkChange]) -> [AdvertisedLink] {
        var links = self
        for change in changes {
            switch change {
            case .lost(let peer): links.removeAll { $0.peer == peer }
            case .advertised(let entry):
                if let place = links.firstIndex(where: { $0.peer == entry.peer }) {
                    links[place] = entry
                } else {
                    links.append(entry)
                }
            }
        }
        return links
    }
}
