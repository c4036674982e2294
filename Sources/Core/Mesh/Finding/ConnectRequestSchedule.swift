package import Primitives

/// A follower's connect requests to one leader, and the last one that came from that peer.
package struct ConnectRequestSchedule: Sendable {
    package private(set) var count = 0
    package private(set) var nextAt: Instant = .distantFuture
    private var newestHeard: (instance: Instance, sequence: UInt32)?

    package init() {}

    /// The first connect request leaves at once, then one every 2 s, later one every 30 s.
    package mutating func begin(now: Instant) {
        if nextAt == .distantFuture { nextAt = now }
    }

    package mutating func end() {
        nextAt = .distantFuture
        count = 0
    }

    package mutating func connectRequestArrived(now: Instant) {
        count += 1
        let isQuick = count < MeshLimits.connectRequestsQuickMax
        nextAt = now + (isQuick ? MeshLimits.connectRequestInterval : MeshLimits.connectRequestSlowInterval)
    }

    /// Whether a connect request of the peer's is new; one brought twice is not.
    package mutating func isNew(instance: Instance, sequence: UInt32) -> Bool {
        if let heard = newestHeard, (instance, sequence) <= (heard.instance, heard.sequence) { return false }
        newestHeard = (instance, sequence)
        return true
    }
}
