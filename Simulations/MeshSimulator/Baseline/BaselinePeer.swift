import Primitives

/// What a node of the baseline keeps of another.
struct BaselinePeer {
    enum Link {
        case none
        case inviting(DialID)
        /// Connected at the socket level; the peer's handshake has not come.
        case greeting(CarrierID)
        case connected(CarrierID, Instance, since: Instant)
    }

    let node: NodeID
    /// Nil where no advert is known.
    var endpoint: Endpoint?
    var advertEndsAt: Instant = .distantFuture
    /// The ghost filter.
    var latestInstance: Instance?
    var link = Link.none
    var failures = 0
    var cooldownUntil: Instant
    /// The leader invites then.
    var retryAt: Instant = .distantFuture
    /// The own handshake message leaves then.
    var greetsAt: Instant = .distantFuture
    var stableAt: Instant = .distantFuture

    init(node: NodeID, now: Instant) {
        self.node = node
        cooldownUntil = now
    }

    var carrier: CarrierID? {
        switch link {
        case .greeting(let carrier), .connected(let carrier, _, _): carrier
        case .none, .inviting: nil
        }
    }

    var isIdle: Bool { if case .none = link { true } else { false } }
    var isConnected: Bool { if case .connected = link { true } else { false } }
}
