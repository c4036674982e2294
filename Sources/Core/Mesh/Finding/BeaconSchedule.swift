package import Primitives

/// When the signed beacon leaves: three in the first second, then every 10 s; while the clique is
/// complete every 30 s from one of its nodes, its announcer, and none from the others.
package struct BeaconSchedule: Sendable {
    private var sentSinceStart = 0
    private var sentAt: Instant?
    package private(set) var nextAt: Instant

    package init(isEnabled: Bool, now: Instant, random: inout SeededRandom) {
        nextAt = isEnabled ? now + random.interval(in: .zero...MeshLimits.beaconFirstMax) : .distantFuture
    }

    /// Counts one that is due and sets the next; true where it should leave.
    /// - Parameter isAnnouncer: it leaves at the slow pace.
    package mutating func expire(
        isQuiet: Bool, isAnnouncer: Bool, now: Instant, random: inout SeededRandom
    ) -> Bool {
        let isStart = sentSinceStart < 3
        sentSinceStart += isStart ? 1 : 0
        let range =
            switch sentSinceStart {
            case 1: MeshLimits.beaconSecond
            case 2: MeshLimits.beaconThird
            default: MeshLimits.beaconInterval
            }
        nextAt = now + random.interval(in: range)
        let isSlow = isAnnouncer && sentAt.map { now < $0 + MeshLimits.announcerInterval } ?? false
        guard isStart || !(isQuiet || isSlow) else { return false }
        sentAt = now
        return true
    }

    /// New addresses, or somebody was lost: announced as at the start.
    package mutating func restart(now: Instant, random: inout SeededRandom) {
        guard nextAt != .distantFuture else { return }
        sentSinceStart = 0
        nextAt = now + random.interval(in: .zero...MeshLimits.beaconFirstMax)
    }
}
