package import Primitives
package import Wire

/// What the next telling of the own row waits for.
package enum RowNews: Sendable {
    /// A link that was made or lost: told at once, at most every second.
    case link
    /// Another path to a peer: told at once, and then after a while.
    case path
    /// A turn of a peer that comes and goes: after a while, when it has perhaps turned again.
    case flap
}

/// When the own row of links is told.
package struct LinkRowSchedule: Sendable {
    package private(set) var dueAt: Instant = .distantFuture
    private var sentAt: Instant?
    private var toldAt: Instant?
    /// What was told last; the same is not told again.
    package private(set) var told: [LinkRowEntry] = []
    /// Counts the tellings.
    package private(set) var number: UInt64 = 0

    package init() {}

    /// The own row has changed: it is looked at soon, and no oftener than its kind of news allows.
    package mutating func change(_ news: RowNews = .link, now: Instant) {
        let patient = MeshLimits.linkRowIntervalPatient
        let apart = news == .link ? MeshLimits.linkRowInterval : patient
        let soonest = now + (news == .flap ? patient : MeshLimits.linkRowDelay)
        let lookedAt = sentAt.map { $0 + MeshLimits.linkRowInterval } ?? now
        dueAt = min(dueAt, max(soonest, lookedAt, toldAt.map { $0 + apart } ?? now))
    }

    /// It has been looked at, whether or not anything was told.
    package mutating func sent(now: Instant, nextCheckAt: Instant) {
        sentAt = now
        dueAt = nextCheckAt
    }

    /// `row` goes out now.
    package mutating func tell(_ row: [LinkRowEntry], now: Instant) {
        toldAt = now
        told = row
        number += 1
    }
}

/// Which telling of the own row went over which carrier: the next may be told as what differs.
package struct RowTelling: Hashable, Sendable {
    package var carrier: CarrierID
    package var number: UInt64
}

extension [LinkRowEntry] {
    /// This row, with the qualities that were told where they have hardly changed: a value on the edge
    /// of two classes is no news.
    package func settled(after told: [LinkRowEntry]) -> [LinkRowEntry] {
        map { entry in
            guard let old = told.first(where: { $0.peer == entry.peer }), old.instance == entry.instance,
                old.path == entry.path, abs(Int(old.rttClass) - Int(entry.rttClass)) <= 1,
                abs(Int(old.lossClass) - Int(entry.lossClass)) <= 1
            else { return entry }
            return old
        }
    }

    /// What makes this row of `told`: the lost first, then what is new or different.
    package func changes(since told: [LinkRowEntry]) -> [LinkChange] {
        let lost = told.filter { old in !contains { $0.peer == old.peer } }.map { LinkChange.lost($0.peer) }
        return lost + filter { !told.contains($0) }.map { LinkChange.told($0) }
    }

    /// The row after its teller's changes, which may repeat a peer; the bound of 64 is the reader's business.
    package func applying(_ changes: [LinkChange]) -> [LinkRowEntry] {
        var row = self
        for change in changes {
            switch change {
            case .lost(let peer): row.removeAll { $0.peer == peer }
            case .told(let entry):
                if let place = row.firstIndex(where: { $0.peer == entry.peer }) {
                    row[place] = entry
                } else {
                    row.append(entry)
                }
            }
        }
        return row
    }
}
