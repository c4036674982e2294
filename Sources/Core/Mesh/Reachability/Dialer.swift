package import Primitives

/// All dials in progress and their limits: `MeshLimits.dialsAtOnceMax` at once, and a rate.
package struct Dialer: Sendable {
    package enum Target: Hashable, Sendable {
        case peer(PeerSlot)
        /// An address that was given without a NodeID: index in `Reachability.staticPeers`.
        case address(Int)
        /// The sender of a beacon that this node cannot read (`WaitingRoom`).
        case sender
    }

    package struct Dial: Hashable, Sendable {
        package let id: DialID
        /// The dialled address; nil for a tunnel.
        package let endpoint: Endpoint?
        package let target: Target
        package let deadline: Instant
    }

    /// The kinds of dials. They take turns while more dials are due than the limits allow.
    package enum Turn: Hashable, Sendable {
        /// Addresses that a person gave, senders of unreadable beacons, and tunnels.
        case given
        /// The first address of an attempt.
        case first
        /// Further addresses of an attempt.
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

    /// Whether peers that were linked before go first: in one of four turns of first addresses, and in every second one
    /// of further addresses. So however many peers are invented, a known one is dialled soon.
    package var isTurnOfKnown: Bool { lastNumber % 8 < 2 }

    /// Whether peers that this node knows from more than gossip go first: in two of four turns of first addresses. So
    /// however many peers members invent, a peer whose beacon this node has received is dialled soon.
    package var isTurnOfHeard: Bool { lastNumber % 4 == 2 }

    /// Whether senders of unreadable beacons go before addresses that a person gave: in every second turn of both. So
    /// however many addresses do not answer, a sender is dialled soon.
    package var isTurnOfSenders: Bool { 4 <= lastNumber % 8 }

    /// Returns when a dial may start: `now`, or when the rate allows it. Returns nil while `dialsAtOnceMax` dials are
    /// in progress.
    package mutating func nextStart(now: Instant) -> Instant? {
        return inProgress.count < MeshLimits.dialsAtOnceMax ? bucket.nextToken(now: now) : nil
    }

    /// Begins a dial of an address. Returns nil if a limit forbids it now.
    /// - Parameter isNew: the peer was never linked, so it may be invented.
    package mutating func begin(
        _ endpoint: Endpoint, for target: Target, isNew: Bool = false, now: Instant
    ) -> DialID? {
        let wait =
            target == .sender
            ? MeshLimits.senderDialMax : isNew ? MeshLimits.newPeerDialMax : MeshLimits.dialWaitMax
        return begin(endpoint, for: target, atMost: wait, now: now)
    }

    /// Begins the dial of a tunnel through a neighbour. Returns nil if a limit forbids it now.
    package mutating func beginTunnel(for slot: PeerSlot, now: Instant) -> DialID? {
        begin(nil, for: .peer(slot), atMost: TunnelLimits.openingMax, now: now)
    }

    private mutating func begin(
        _ endpoint: Endpoint?, for target: Target, atMost wait: Interval, now: Instant
    ) -> DialID? {
        guard inProgress.count < MeshLimits.dialsAtOnceMax && bucket.take(now: now) else { return nil }
        lastNumber += 1
        let id = DialID(number: lastNumber)
        inProgress.append(Dial(id: id, endpoint: endpoint, target: target, deadline: now + wait))
        return id
    }

    /// Removes a dial that opened, failed or was cancelled, and returns it. Returns nil if it was removed before.
    package mutating func end(_ id: DialID) -> Dial? {
        guard let index = inProgress.firstIndex(where: { $0.id == id }) else { return nil }
        return inProgress.remove(at: index)
    }

    /// Whether `target` has to wait for the end of another dial.
    package func isFull(for target: Target) -> Bool {
        MeshLimits.dialsAtOnceMax <= inProgress.count && !inProgress.contains { $0.target == target }
    }

    package func isTunnelInProgress(for slot: PeerSlot) -> Bool {
        inProgress.contains { $0.endpoint == nil && $0.target == .peer(slot) }
    }

    /// Returns the dials that take too long.
    package func overdue(now: Instant) -> [DialID] { inProgress.filter { $0.deadline <= now }.map(\.id) }

    package var nextDeadline: Instant {
        var next = Instant.distantFuture
        for dial in inProgress { next = min(next, dial.deadline) }
        return next
    }
}
