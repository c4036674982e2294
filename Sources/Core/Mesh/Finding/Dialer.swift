package import Primitives

/// All dials under way and the limits over them: so many at once, so many a second.
package struct Dialer: Sendable {
    package enum Target: Hashable, Sendable {
        case peer(PeerSlot)
        /// An address of which nobody knows who is there.
        case address(Int)
    }

    package struct Dial: Hashable, Sendable {
        package let id: DialID
        /// Nil where a tunnel is dialled.
        package let endpoint: Endpoint?
        package let target: Target
        package let deadline: Instant
    }

    /// Whose turn it is where more would dial than may.
    package enum Turn: Hashable, Sendable {
        /// Addresses that a person gave.
        case given
        /// First addresses of those who have not been dialled yet.
        case first
        /// Further ones.
        case further
    }

    package private(set) var inProgress: [Dial] = []
    private var bucket: TokenBucket
    private var lastNumber: UInt64 = 0

    package init(now: Instant) {
        bucket = TokenBucket(burst: MeshLimits.dialBurst, interval: MeshLimits.dialInterval, now: now)
    }

    package var turn: Turn {
        switch lastNumber % 4 {
        case 0, 2: .first
        case 1: .further
        default: .given
        }
    }

    /// When a dial may start: `now`, the next token's time, or nil until another one ends.
    package mutating func nextStart(now: Instant) -> Instant? {
        return inProgress.count < MeshLimits.dialsAtOnceMax ? bucket.nextToken(now: now) : nil
    }

    /// Begins a dial; nil where a limit forbids it now.
    package mutating func begin(_ endpoint: Endpoint, for target: Target, now: Instant) -> DialID? {
        begin(endpoint, for: target, atMost: MeshLimits.dialWaitMax, now: now)
    }

    /// The same for a dial through a neighbour.
    package mutating func beginTunnel(for slot: PeerSlot, now: Instant) -> DialID? {
        begin(nil, for: .peer(slot), atMost: TunnelLimits.openingMax, now: now)
    }

    private mutating func begin(
        _ endpoint: Endpoint?, for target: Target, atMost wait: Interval, now: Instant
    ) -> DialID? {
        guard inProgress.count < MeshLimits.dialsAtOnceMax && bucket.take(now: now)
        else { return nil }
        lastNumber += 1
        let id = DialID(number: lastNumber)
        inProgress.append(Dial(id: id, endpoint: endpoint, target: target, deadline: now + wait))
        return id
    }

    /// Forgets a dial that opened, failed or was cancelled; nil where it was forgotten before.
    package mutating func end(_ id: DialID) -> Dial? {
        guard let index = inProgress.firstIndex(where: { $0.id == id }) else { return nil }
        return inProgress.remove(at: index)
    }

    package func isTunnelInProgress(for slot: PeerSlot) -> Bool {
        inProgress.contains { $0.endpoint == nil && $0.target == .peer(slot) }
    }

    package var nextDeadline: Instant {
        var next = Instant.distantFuture
        for dial in inProgress { next = min(next, dial.deadline) }
        return next
    }
}
