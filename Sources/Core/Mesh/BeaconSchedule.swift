package import Primitives

/// When the signed beacon leaves: three in the first second, then every 10 s, none while the
/// clique is complete.
package struct BeaconSchedule: Sendable {
    private var sentSinceStart = 0
    package private(set) var nextAt: Instant

    package init(isEnabled: Bool, now: Instant, random: inout SeededRandom) {
        nextAt = isEnabled ? now + random.interval(in: .zero...MeshLimits.beaconFirstMax) : .distantFuture
    }

    /// Counts one that is due and sets the next; true where it should leave.
    package mutating func expire(isQuiet: Bool, now: Instant, random: inout SeededRandom) -> Bool {
        let isStart = sentSinceStart < 3
        sentSinceStart += isStart ? 1 : 0
        let range =
            switch sentSinceStart {
            case 1: MeshLimits.beaconSecond
            case 2: MeshLimits.beaconThird
            default: MeshLimits.beaconInterval
            }
        nextAt = now + random.interval(in: isStart && sentSinceStart == 3 ? MeshLimits.beaconInterval : range)
        return isStart || !isQuiet
    }

    /// New addresses, or somebody was lost: announced as at the start.
    package mutating func restart(now: Instant, random: inout SeededRandom) {
        guard nextAt != .distantFuture else { return }
        sentSinceStart = 0
        nextAt = now + random.interval(in: .zero...MeshLimits.beaconFirstMax)
    }
}
