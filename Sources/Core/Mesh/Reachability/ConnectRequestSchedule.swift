package import Primitives

/// The schedule of a follower's connect requests to one leader, and the newest connect request received from that
/// peer.
package struct ConnectRequestSchedule: Sendable {
    package private(set) var count = 0
    package private(set) var nextAt: Instant = .distantFuture
    private var newestHeard: (instance: Instance, sequence: UInt32)?

    package init() {}

    /// Starts the requests: the first at once, then one every 2 s, and one every 30 s after the first 15.
    package mutating func begin(now: Instant) {
        if nextAt == .distantFuture { nextAt = now }
    }

    package mutating func end() {
        nextAt = .distantFuture
        count = 0
    }

    package mutating func requestSent(now: Instant) {
        count += 1
        let isQuick = count < MeshLimits.connectRequestsQuickMax
        nextAt = now + (isQuick ? MeshLimits.connectRequestInterval : MeshLimits.connectRequestSlowInterval)
    }

    /// Returns whether a connect request of the peer is newer than all before, and remembers it if so.
    package mutating func isNew(instance: Instance, sequence: UInt32) -> Bool {
        if let heard = newestHeard, (instance, sequence) <= (heard.instance, heard.sequence) { return false }
        newestHeard = (instance, sequence)
        return true
    }
}
