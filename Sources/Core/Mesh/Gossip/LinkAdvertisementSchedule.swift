package import Primitives
package import Wire

/// What the next telling of the own row waits for.
package enum LinkNews: Sendable {
    /// A link that was made or lost: told at once, at most every second.
    case link
    /// Another path to a peer: told at once, and then after a while.
    case path
    /// A turn of a peer that comes and goes: after a while, when it has perhaps turned again.
    case flap
}

/// When the own row of links is told.
package struct LinkAdvertisementSchedule: Sendable {
    package private(set) var dueAt: Instant = .distantFuture
    private var sentAt: Instant?
    private var advertisedAt: Instant?
    /// What was told last; the same is not told again.
    package private(set) var advertised: [AdvertisedLink] = []
    /// Counts the tellings.
    package private(set) var number: UInt64 = 0

    package init() {}

    /// The own link states has changed: it is looked at soon, and no oftener than its kind of news allows.
    package mutating func change(_ news: LinkNews = .link, now: Instant) {
        let patient = MeshLimits.linkStatesIntervalPatient
        let apart = news == .link ? MeshLimits.linkStatesInterval : patient
        let soonest = now + (news == .flap ? patient : MeshLimits.linkStatesDelay)
        let lookedAt = sentAt.map { $0 + MeshLimits.linkStatesInterval } ?? now
        dueAt = min(dueAt, max(soonest, lookedAt, advertisedAt.map { $0 + apart } ?? now))
    }

    /// It has been looked at, whether or not anything was told.
    package mutating func sent(now: Instant, nextCheckAt: Instant) {
        sentAt = now
        dueAt = nextCheckAt
    }

    /// `links` goes out now.
    package mutating func tell(_ links: [AdvertisedLink], now: Instant) {
        advertisedAt = now
        advertised = links
        number += 1
    }
}

/// Which telling of the own row went over which carrier: the next may be told as what differs.
package struct LinksAdvertised: Hashable, Sendable {
    package var carrier: CarrierID
    package var number: UInt64
}

extension [AdvertisedLink] {
    /// This row, with the qualities that were told where they have hardly changed: a value on the edge
    /// of two classes is no news.
    package func settled(after advertised: [AdvertisedLink]) -> [AdvertisedLink] {
        map { entry in
            guard let old = advertised.first(where: { $0.peer == entry.peer }), old.instance == entry.instance,
                old.path == entry.path, abs(Int(old.rttClass) - Int(entry.rttClass)) <= 1,
                abs(Int(old.lossClass) - Int(entry.lossClass)) <= 1
            else { return entry }
            return old
        }
    }

    /// What makes this row of `advertised`: the lost first, then what is new or different.
    package func changes(since advertised: [AdvertisedLink]) -> [LinkChange] {
        let lost = advertised.filter { old in !contains { $0.peer == old.peer } }.map { LinkChange.lost($0.peer) }
        return lost + filter { !advertised.contains($0) }.map { LinkChange.advertised($0) }
    }

    /// The row after its teller's changes, which may repeat a peer; the bound of 64 is the reader's business.
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
