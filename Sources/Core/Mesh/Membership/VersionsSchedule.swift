package import Primitives

/// When this node compares versions with a peer whose digest differs: soon, at most once a second.
///
/// If an exchange does not repair a difference, the next one will hardly do so. So the waits double up to
/// `MeshLimits.antiEntropyIntervalMax` while both digests stay equal to those of the last exchange. Example: a node
/// that has the record of one boot rejects the record of another boot of the same instance, so two nodes may never
/// agree.
package struct VersionsSchedule: Sendable {
    private struct Digests: Equatable {
        var own: UInt32
        var peer: UInt32?
    }

    package private(set) var dueAt: Instant = .distantFuture
    package private(set) var sentAt: Instant?
    /// Digests at the last exchange. `vainCount` counts the exchanges in a row before it with the same digests.
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
