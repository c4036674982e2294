package import Primitives
package import Wire

/// A path of sealed datagrams to a peer, with its own life, round trip and probes.
package struct Path: Sendable {
    /// Whether datagrams may go over the path.
    ///
    ///     unknown address ──challenged──► challenged ──answered──► proved
    ///
    package enum Trust: Hashable, Sendable {
        /// Datagrams may go over the path: it leads to the address of the authenticated carrier, through a neighbour,
        /// through the carrier, or to an address that answered a challenge.
        case proved
        /// A challenge was sent over the path and not answered. Nothing goes over it but challenges, and answers to the
        /// peer's challenges.
        case challenged(number: UInt64)
    }

    package let route: PathRoute
    package var trust: Trust
    package var heardAt: Instant?
    /// When the last challenge was sent there.
    package var challengedAt: Instant?
    /// The newest control block that came over this path. This node echoes it over the same path.
    package var newestHeard: HeardBlock?
    /// When an echo last came of a control block that had left on this path.
    package var echoedAt: Instant?
    package var rtt: Interval?
    package var probeAt: Instant = .distantFuture
    package var probeInterval = MeshLimits.pathProbeIntervalMin
    /// The order of preference among paths through neighbours; lower is better. Both ends of the link compute the same
    /// order.
    package var rank: UInt64 = 0
    /// When this node last asked for this path through a neighbour.
    package var askedAt: Instant?
    /// Whether the path is not used now, because the neighbour lacks the link to this node or the link to the peer, or
    /// because one of these two links leads through a third node itself.
    package var isForgotten = false
    /// Whether a carrier that brings echoes is better than this path through a neighbour: the path has TCP on one half,
    /// and the carrier is a TCP connection of the two nodes themselves.
    package var isAfterCarrier = false

    package init(_ route: PathRoute, trust: Trust) {
        self.route = route
        self.trust = trust
    }

    package var kind: PathKind { route.kind }

    /// Of the paths that answer, the one with the lowest value should carry the voice. The value says which paths are
    /// worth a probe, and supposes that the carrier answers. The choice among paths cannot use it: without such a
    /// carrier, only the rank decides between two paths through neighbours, since both ends must choose the same
    /// neighbour (docs/decisions/034-carrier-before-tcp-at-a-neighbour.md).
    package var preference: Int {
        switch kind {
        case .direct: 0
        case .relay: isAfterCarrier ? 3 : 1
        case .carrier: 2
        }
    }

    package var endpoint: Endpoint? {
        if case .address(let endpoint) = route { endpoint } else { nil }
    }

    /// The common neighbour through which the path leads; nil for other routes.
    package var neighbour: NodeID? {
        if case .neighbour(let node) = route { node } else { nil }
    }

    /// Whether probes go over this path.
    package var isProbed: Bool { trust == .proved && !isForgotten }

    /// Whether the address has not answered a challenge for as long as an echo may take.
    func isUnanswered(now: Instant) -> Bool {
        guard trust != .proved, let challengedAt else { return false }
        return challengedAt + MeshLimits.pathAliveMax <= now
    }

    package func isAlive(now: Instant) -> Bool {
        guard trust == .proved, let echoedAt else { return false }
        return now - echoedAt <= MeshLimits.pathAliveMax
    }

    /// Whether an echo came within `MeshLimits.pathFreshMax`. A path in use gets its echoes more often than that.
    package func isFresh(now: Instant) -> Bool {
        guard let echoedAt else { return false }
        return now - echoedAt <= MeshLimits.pathFreshMax
    }

    /// Whether this path through a neighbour was asked for and did not answer. It is asked for again after
    /// `MeshLimits.relayAskedAgain`.
    package func isFruitless(now: Instant) -> Bool {
        guard let askedAt, !isAlive(now: now) else { return false }
        return MeshLimits.verificationMax <= now - askedAt && now - askedAt < MeshLimits.relayAskedAgain
    }

    /// Whether the path was never asked for, or not within `MeshLimits.relayAskedAgain`.
    package func mayBeAsked(now: Instant) -> Bool { askedAt.map { $0 + MeshLimits.relayAskedAgain <= now } ?? true }

    /// Keeps the newest block, to be echoed. A block that was overtaken on the way is not echoed.
    package mutating func keepNewestHeard(_ sequence: UInt32, now: Instant) {
        if let newestHeard, Int32(bitPattern: sequence &- newestHeard.sequence) <= 0 { return }
        newestHeard = HeardBlock(sequence: sequence, at: now)
    }

    /// Smooths the round trip as TCP does (RFC 6298 §2: one eighth of each new value).
    package mutating func add(rtt sample: Interval) {
        rtt = rtt.map { $0 + (sample - $0) / 8 } ?? sample
    }
}

/// The route of a path.
package enum PathRoute: Hashable, Sendable {
    case address(Endpoint)
    /// The datagram to the peer is inside another one, which is sealed for this common neighbour. The neighbour relays
    /// the inner one.
    case neighbour(NodeID)
    /// Inside the TLS stream between the two nodes.
    case carrier

    package var kind: PathKind {
        switch self {
        case .address: .direct
        case .neighbour: .relay
        case .carrier: .carrier
        }
    }
}

package struct HeardBlock: Hashable, Sendable {
    package var sequence: UInt32
    package var at: Instant
    package init(sequence: UInt32, at: Instant) {
        self.sequence = sequence
        self.at = at
    }
}
