package import Primitives

/// When versions are compared with a peer whose digest differs: soon, at most once a second.
///
/// What an exchange has not healed the next one will hardly heal: while both digests stay as they were, the waits
/// double up to `MeshLimits.antiEntropyIntervalMax`. Two boots under one instance, say, are one thing to who has met
/// the first and another to who has met the second.
package struct VersionsSchedule: Sendable {
    private struct Digests: Equatable {
        var own: UInt64
        var peer: UInt64?
    }

    package private(set) var dueAt: Instant = .distantFuture
    package private(set) var sentAt: Instant?
    /// At the last exchange, and how many before it had found the same.
    private var compared: Digests?
    private var vainCount = 0

    package init() {}

    /// Now, whatever was compared before.
    package mutating func begin(now: Instant) { dueAt = now }

    /// The peer's digest differs.
    package mutating func differ(own: UInt64, peer: UInt64?, now: Instant) {
        let isVain = compared == Digests(own: own, peer: peer)
        let wait = isVain ? MeshLimits.antiEntropyInterval * (1 << vainCount) : MeshLimits.antiEntropyInterval
        let earliest = sentAt.map { $0 + min(wait, MeshLimits.antiEntropyIntervalMax) } ?? now
        dueAt = min(dueAt, max(now + MeshLimits.antiEntropyDelay, earliest))
    }

    package mutating func sent(own: UInt64, peer: UInt64?, now: Instant) {
        let digests = Digests(own: own, peer: peer)
        vainCount = compared == digests ? min(vainCount + 1, MeshLimits.antiEntropyDoublingsMax) : 0
        (compared, sentAt, dueAt) = (digests, now, .distantFuture)
    }

    /// Nothing is to be compared any more.
    package mutating func end() { dueAt = .distantFuture }
}
