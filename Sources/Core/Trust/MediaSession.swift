package import Primitives
package import Wire

/// Whom the keys are for; enters every derivation, so that no key serves two agreements.
package struct SessionContext: Hashable, Sendable {
    package var leader: NodeID
    package var follower: NodeID
    package var link: LinkID
    package var leaderBoot: BootNonce
    package var followerBoot: BootNonce
    /// Whether this node is the leader.
    package var isLeader: Bool

    package init(
        leader: NodeID, follower: NodeID, link: LinkID, leaderBoot: BootNonce, followerBoot: BootNonce, isLeader: Bool
    ) {
        self.leader = leader
        self.follower = follower
        self.link = link
        self.leaderBoot = leaderBoot
        self.followerBoot = followerBoot
        self.isLeader = isLeader
    }
}

/// Why a datagram was not opened; counted, never answered.
package enum OpenError: Int, Error, CaseIterable, Sendable {
    case malformed
    case unknownKey
    case replayed
    case forged
    case expiredKey
}

/// The media keys of one pair: sealing, opening, replay, generations (docs/WIRE.md, "Media keys").
///
/// Life of a generation: `makeOffer` (own half) → `install(peer:)` (both halves: opens at once) →
/// `startSending` (seals) → retired when a later one is confirmed, still opening for
/// `MediaKeyLimits.retiredLifetime`. Nothing here is known to anyone but the two.
package struct MediaSession {
    package init(context: SessionContext, sealing: any Sealing) { fatalError() }

    /// Starts a generation: keeps the private half, returns what the peer must have.
    package mutating func makeOffer(generation: UInt32, keyID: UInt32) -> MediaKeyOffer { fatalError() }
    /// Completes the generation with the peer's half; from here on its datagrams open.
    /// False where the offer is degenerate or of another generation than the own offer.
    package mutating func install(peer offer: MediaKeyOffer, now: Instant) -> Bool { fatalError() }
    /// Seals with this generation from now on; the one before opens for a while longer.
    package mutating func startSending(generation: UInt32, now: Instant) { fatalError() }

    /// The generation that seals; nil before the first.
    package var sendingGeneration: UInt32? { fatalError() }
    /// Key ids under which this session opens datagrams, oldest first (for the shell's lookup table).
    package var openingKeyIDs: [UInt32] { fatalError() }
    /// Whether the sending generation is near its end by count or age.
    package func needsRekey(now: Instant) -> Bool { fatalError() }
    /// Drops retired generations whose time is over.
    package mutating func expire(now: Instant) { fatalError() }

    /// A whole datagram; nil before `startSending`.
    package mutating func seal(_ body: [UInt8]) -> [UInt8]? { fatalError() }
    /// The body, and the generation that opened it.
    package mutating func open(_ datagram: [UInt8], now: Instant) throws(OpenError) -> (body: [UInt8], generation: UInt32)
    { fatalError() }

    /// The key id that a datagram names, read without any key; nil where it is no datagram of ours.
    package static func keyID(of datagram: [UInt8]) -> UInt32? { fatalError() }
}
