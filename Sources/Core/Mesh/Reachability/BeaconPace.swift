package import Primitives

/// The schedule of the signed beacon: three in about the first second, then one every 10 s. While the clique is
/// complete, its announcer sends one about every 30 s, and the other nodes send none. While a pairing window is open,
/// its node sends one about every 2 s. If this node hears a beacon and cannot dial the sender, because it has no free
/// slot or no free dial, it makes its own next beacon due soon. It does so at most once in 10 s: else beacons of
/// invented nodes would make all nodes send beacons again and again.
package struct BeaconSchedule: Sendable {
    private var sentSinceStart = 0
    private var sentAt: Instant?
    private var hastenedAt: Instant?
    package private(set) var nextAt: Instant

    package init(isEnabled: Bool, now: Instant, random: inout SeededRandom) {
        nextAt = isEnabled ? now + random.interval(in: .zero...MeshLimits.beaconFirstMax) : .distantFuture
    }

    /// Handles a due beacon and schedules the next. Returns whether the beacon should be sent; the three after a
    /// start always are.
    /// - Parameter isQuiet: whether this node sends no beacon, because another node is the announcer.
    /// - Parameter isCliqueComplete: whether the clique is complete. While it is, the beacons of its announcer are at
    ///   least `MeshLimits.announcerInterval` apart.
    package mutating func expire(
        isQuiet: Bool, isCliqueComplete: Bool, now: Instant, random: inout SeededRandom
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
        let isSlow = isCliqueComplete && sentAt.map { now < $0 + MeshLimits.announcerInterval } ?? false
        guard isStart || !(isQuiet || isSlow) else { return false }
        sentAt = now
        return true
    }

    /// Handles a due beacon while this node has a pairing window. The beacon must be sent. The next follows soon.
    package mutating func expireInPairing(now: Instant, random: inout SeededRandom) {
        nextAt = now + random.interval(in: MeshLimits.pairingBeaconInterval)
        sentAt = now
    }

    /// Makes the next beacon due soon, but at least 2 s after the last one (`MeshLimits.pairingBeaconInterval`). Does
    /// nothing if beacons are disabled, if the next beacon is due by then anyway, or if an earlier call has brought a
    /// beacon forward within the last 10 s (`MeshLimits.beaconInterval`). Returns whether the next beacon was brought
    /// forward.
    package mutating func hasten(now: Instant, random: inout SeededRandom) -> Bool {
        let isAgain = hastenedAt.map { now < $0 + MeshLimits.beaconInterval.upperBound } ?? false
        let soonest = max(now, sentAt.map { $0 + MeshLimits.pairingBeaconInterval.upperBound } ?? now)
        guard nextAt != .distantFuture, !isAgain, soonest < nextAt else { return false }
        hastenedAt = now
        nextAt = min(nextAt, soonest + random.interval(in: .zero...MeshLimits.beaconFirstMax))
        return true
    }

    /// Starts the beacons, with three as after the start of a node, or ends them. Does nothing if they go on, or have
    /// ended, already.
    package mutating func setEnabled(_ isEnabled: Bool, now: Instant, random: inout SeededRandom) {
        guard isEnabled == (nextAt == .distantFuture) else { return }
        nextAt = isEnabled ? now : .distantFuture
        restart(now: now, random: &random)
    }

    /// Sends three beacons again, as after the start. Does nothing if beacons are disabled.
    package mutating func restart(now: Instant, random: inout SeededRandom) {
        guard nextAt != .distantFuture else { return }
        sentSinceStart = 0
        nextAt = now + random.interval(in: .zero...MeshLimits.beaconFirstMax)
    }
}

/// Limits the rate of signature checks of beacons, for each source address and for all together. A source that sends
/// garbage uses up its own share first, and so hardly delays other sources.
package struct BeaconChecks: Sendable {
    private var sources: SourceAllowances
    private var all: TokenBucket

    package init(burstPerSource: Int = MeshLimits.beaconChecksPerSourceBurst, now: Instant) {
        sources = SourceAllowances(burst: burstPerSource, interval: MeshLimits.beaconCheckPerSourceInterval)
        all = TokenBucket(burst: MeshLimits.beaconChecksBurst, interval: MeshLimits.beaconCheckInterval, now: now)
    }

    package mutating func take(_ address: IPAddress, now: Instant) -> Bool {
        sources.take(address, now: now) && all.take(now: now)
    }
}
