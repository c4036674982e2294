package import Primitives

/// When this node compares versions with a peer whose digest differs: soon, at most once a second.
///
/// If one comparison does not repair a difference, the next one will hardly do so. So the waits double, up to
/// `MeshLimits.antiEntropyIntervalMax`, as long as both digests are the same as at the last comparison. Example: two
/// nodes have the records of different boots with the same instance. Each rejects the other's record, so their digests
/// may differ for ever.
package struct VersionsSchedule: Sendable {
    private struct Digests: Equatable {
        var own: UInt32
        var peer: UInt32?
    }

    package private(set) var dueAt: Instant = .distantFuture
    package private(set) var sentAt: Instant?
    /// Both digests at the last comparison. `vainCount` counts the comparisons in a row before it that had the same
    /// digests.
    private var compared: Digests?
    private var vainCount = 0

    package init() {}

    /// Makes a comparison due now, whatever was compared before.
    package mutating func begin(now: Instant) { dueAt = now }

    /// Schedules a comparison with a peer whose digest differs.
    package mutating func differ(own: UInt32, peer: UInt32?, now: Instant) {
        let isVain = compared == Digests(own: own, peer: peer)
        let wait = isVain ? MeshLimits.antiEntropyInterval * (1 << vainCount) : MeshLimits.antiEntropyInterval
        let earliest = sentAt.map { $0 + min(wait, MeshLimits.antiEntropyIntervalMax) } ?? now
        dueAt = min(dueAt, max(now + MeshLimits.antiEntropyDelay, earliest))
    }

    package mutating func sent(own: UInt32, peer: UInt32?, now: Instant) {
        let digests = Digests(own: own, peer: peer)
        vainCount = compared == digests ? min(vainCount + 1, MeshLimits.antiEntropyDoublingsMax) : 0
        (compared, sentAt, dueAt) = (digests, now, .distantFuture)
    }

    /// Cancels the scheduled comparison.
    package mutating func end() { dueAt = .distantFuture }
}
