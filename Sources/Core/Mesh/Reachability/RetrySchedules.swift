package import Primitives

/// The wait before the next dial of one peer after f failures: U[d/2, d], d = min(0.5 · 2^(f−1), 30) s.
///
/// Failures are counted for each NodeID, over all its instances. So a peer that crashes in a loop causes no storm of
/// dials. The random half spreads the retries of many nodes after a fault that they share. After a long partition, the
/// first node that gets through brings the others with it, because it delivers their connect requests.
package struct Backoff: Sendable {
    package private(set) var failures = 0
    private var cutAt: Instant?
    /// Whether people have been told about the present quarantine.
    private var isQuarantineTold = false

    package init() {}

    /// Whether the peer is in quarantine: it has failed `MeshLimits.failuresBeforeQuarantine` times or more. Only
    /// reports to people, the status and a counter depend on that; the waits do not.
    package var isQuarantine: Bool { MeshLimits.failuresBeforeQuarantine <= failures }

    /// Counts a failure and returns when the wait that follows ends.
    package mutating func fail(now: Instant, random: inout SeededRandom) -> Instant {
        failures += 1
        return now + Backoff.wait(afterFailures: failures, max: MeshLimits.backoffMax, random: &random)
    }

    /// Returns whether people have to be told now that the peer is quarantined. They are told once, until the link
    /// comes up or the failures are forgotten: a peer that is away fails twice a minute, and would fill the list of
    /// latest events.
    package mutating func tellsQuarantine() -> Bool {
        guard isQuarantine, !isQuarantineTold else { return false }
        isQuarantineTold = true
        return true
    }

    /// Notes that the link came up: people are told about the next quarantine.
    package mutating func linkUp() { isQuarantineTold = false }

    /// Forgets the failures. Called when the link has been up for `MeshLimits.stableAfter`.
    package mutating func clear() { (failures, isQuarantineTold) = (0, false) }

    /// Returns whether the present wait for an attempt may end now. That is so at most once in
    /// `MeshLimits.cooldownCutInterval`.
    package mutating func cut(now: Instant) -> Bool {
        if let cutAt, now < cutAt + MeshLimits.cooldownCutInterval { return false }
        cutAt = now
        return true
    }

    /// Returns the instant from which `cut` is true again: `now` or later.
    package func nextCut(now: Instant) -> Instant {
        guard let cutAt else { return now }
        return max(now, cutAt + MeshLimits.cooldownCutInterval)
    }

    package static func wait(afterFailures failures: Int, max: Interval, random: inout SeededRandom) -> Interval {
        let doublings = min(failures - 1, MeshLimits.backoffDoublingsMax)
        let full = min(MeshLimits.backoffFirst * (1 << Int64(doublings)), max)
        return random.interval(in: full / 2...full)
    }
}

/// The schedule of a follower's connect requests to one leader, and the newest connect request received from that
/// peer.
package struct ConnectRequestSchedule: Sendable {
    package private(set) var count = 0
    /// The wait after the last connect request that this node has sent to a neighbour, which brings it to the leader;
    /// nil if this node has sent none since `neighboursMax` last rose.
    private var broughtWait: Interval?
    /// The greatest number of neighbours with a link to the leader that were found since the requests began.
    private var neighboursMax = 0
    package private(set) var nextAt: Instant = .distantFuture
    private var newestHeard: (instance: Instance, sequence: UInt32)?

    package init() {}

    /// Starts the requests: the first at once. The wait after it is 2 s, and doubles up to 30 s with each further
    /// request that a neighbour brings, because the leader may dial this node in vain. While no neighbour has a link to
    /// the leader, the wait stays. After the first 15 requests it is 30 s. The doubling starts again when more
    /// neighbours have a link to the leader than at any time since the requests began. So an honest neighbour is asked
    /// soon after hostile ones, and a neighbour that hides its link and shows it again changes nothing.
    package mutating func begin(now: Instant) {
        if nextAt == .distantFuture { nextAt = now }
    }

    package mutating func end() {
        nextAt = .distantFuture
        count = 0
        broughtWait = nil
        neighboursMax = 0
    }

    /// Handles that so many neighbours of this node have a link to the leader now. If they are more than at any time
    /// since the requests began, the wait is 2 s at most. Returns whether the wait has become shorter.
    package mutating func neighboursFound(_ neighbours: Int, now: Instant) -> Bool {
        guard nextAt != .distantFuture, neighboursMax < neighbours else { return false }
        (neighboursMax, broughtWait) = (neighbours, nil)
        let soonest = now + MeshLimits.connectRequestInterval
        guard soonest < nextAt else { return false }
        nextAt = soonest
        return true
    }

    /// Schedules the next request.
    /// - Parameter neighbours: how many neighbours of this node have a link to the leader; without one, the request is
    ///   not sent.
    package mutating func requestSent(neighbours: Int, now: Instant) {
        count += 1
        let (first, longest) = (MeshLimits.connectRequestInterval, MeshLimits.connectRequestSlowInterval)
        if neighboursMax < neighbours { (neighboursMax, broughtWait) = (neighbours, nil) }
        if 0 < neighbours { broughtWait = broughtWait.map { min($0 * 2, longest) } ?? first }
        let isSlow = MeshLimits.connectRequestsQuickMax <= count
        nextAt = now + (isSlow ? longest : broughtWait ?? first)
    }

    /// Returns whether a connect request of the peer is newer than all before, and remembers it if so.
    package mutating func isNew(instance: Instance, sequence: UInt32) -> Bool {
        if let heard = newestHeard, (instance, sequence) <= (heard.instance, heard.sequence) { return false }
        newestHeard = (instance, sequence)
        return true
    }
}

/// The wait until the next search for a direct carrier, while the session uses a tunnel.
package struct DirectSearch: Hashable, Sendable {
    /// Searches that were scheduled since the peer last had a direct carrier.
    private var searches = 0

    package init() {}

    /// Whether the peer has had a tunnelled carrier, and no direct one since.
    package var isUnderWay: Bool { 0 < searches }

    /// Returns the wait until the next search: U[d/2, d], where d doubles with each call, from
    /// `TunnelLimits.directSearchFirst` to `directSearchMax`. Because of the random part, the two ends do not search at
    /// the same time.
    package mutating func nextWait(random: inout SeededRandom) -> Interval {
        // 2^3 · 2 s exceeds the cap already.
        let full = min(TunnelLimits.directSearchFirst * (1 << Int64(min(searches, 3))), TunnelLimits.directSearchMax)
        searches += 1
        return random.interval(in: full / 2...full)
    }
}

/// When this node next dials one dead peer, drawn at random. If a partition has ended, some node soon finds that out by
/// such a dial, and gossip tells all others.
///
/// The wait grows with the number of linked neighbours, because they dial too: the rate of these dials in the whole
/// mesh does not depend on the size of the mesh.
struct DeadRetrySchedule {
    /// `.distantFuture` while there are no dead peers.
    private(set) var nextAt: Instant = .distantFuture

    /// - Parameter isRecent: whether a peer is dead whose record still counts.
    mutating func schedule(isRecent: Bool, linkedCount: Int, random: inout SeededRandom, now: Instant) {
        let full =
            (isRecent ? MeshLimits.deadRetryInterval : MeshLimits.deadRetryIntervalLate) * (Int64(linkedCount) + 1)
        nextAt = now + random.interval(in: full / 2...full)
    }

    /// Schedules the dial of one dead peer, drawn at random, because some peer has just died. If such a dial is due
    /// earlier, its time stays.
    mutating func advance(linkedCount: Int, random: inout SeededRandom, now: Instant) {
        let scheduled = nextAt
        schedule(isRecent: true, linkedCount: linkedCount, random: &random, now: now)
        nextAt = min(nextAt, scheduled)
    }

    mutating func end() { nextAt = .distantFuture }
}
