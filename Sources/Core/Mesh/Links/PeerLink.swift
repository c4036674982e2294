package import Primitives
package import Wire

/// One peer: the state of its link, its sessions, its addresses, and how it has behaved.
package struct PeerLink {
    package let node: NodeID
    package let slot: PeerSlot
    /// Whether this node leads the pair: the greater NodeID invites.
    package let isLeader: Bool

    package var state = LinkState.down(dialAt: .distantFuture)
    /// Whether the link has been up since the peer got this slot.
    var hasBeenUp = false
    /// The session in use: agreed, and proved by an echo. In states other than up and verifying it sleeps until an
    /// echo wakes it.
    var session: Session?
    /// A session that is offered or agreed, without an echo so far. It becomes `session` on its first echo.
    var candidate: Session?
    /// The session that was replaced, make-before-break. It still opens datagrams that are under way.
    var retired: RetiredSession?
    /// A new carrier for a living link.
    package var renewal = CarrierRenewal.none
    /// When this node last started to dial for a renewal.
    package var renewedAt: Instant?
    var renewals = renewalsAtFirst
    /// A full allowance for renewals.
    static let renewalsAtFirst = TokenBucket(
        burst: MeshLimits.renewalsBurst, interval: MeshLimits.renewalInterval, now: .zero)
    /// Number of this node's last invitation to the peer, as its leader.
    package var attempt: UInt32 = 0

    /// Another boot of the peer that connects while one is up.
    package var duplicateBoot: DuplicateBoot?

    package var lastFailure: LinkFailure?
    /// The wait that a carrier interrupted. The wait goes on if that carrier closes before its HELLO.
    var interrupted: (by: CarrierID, dialAt: Instant)?
    package var refusedByPerson = false
    /// Number of refusals in a row, without a link between them.
    var refusalsInARow = 0
    /// Whether a refusal, by either side, has named a duplicate since the peer was last linked.
    package var hasMetDuplicate = false

    /// Invitations and key offers that this node answers.
    var agreements: TokenBucket

    package init(node: NodeID, slot: PeerSlot, isLeader: Bool, _ capacity: MeshCapacity) {
        self.node = node
        self.slot = slot
        self.isLeader = isLeader
        agreements = TokenBucket(burst: capacity.agreementsBurst, interval: MeshLimits.agreementInterval, now: .zero)
    }

    /// Returns the session with this role; for a retired one, the session that replaced it.
    func session(in role: SessionRole) -> Session? { role == .candidate ? candidate : session }
}

/// A boot that claims the identity of a living peer, and the instant at which this node probed that peer.
package struct DuplicateBoot: Hashable, Sendable {
    package var bootNonce: BootNonce
    package var askedAt: Instant
}

/// A channel list that this node handles at `readAt`, because it came above the peer's allowance.
struct UnreadChannels {
    var channels: [ChannelID]
    var saidBy: BootNonce?
    var readAt: Instant
}

struct RetiredSession {
    var session: Session
    var until: Instant
}

/// State of a new carrier beside a living link. It is independent of `LinkState`.
///
///     none ─► due ─► connecting ─► negotiating ─► none (the candidate took over, or gave up)
///
package enum CarrierRenewal: Hashable, Sendable {
    case none
    case due(at: Instant)
    case connecting(since: Instant)
    case negotiating(LinkNegotiation)

    package var negotiation: LinkNegotiation? {
        if case .negotiating(let negotiation) = self { negotiation } else { nil }
    }

    package var deadline: Instant {
        switch self {
        case .none: .distantFuture
        case .due(let at): at
        case .connecting(let since): since + MeshLimits.helloWaitMax
        case .negotiating(let negotiation): negotiation.deadline
        }
    }
}

/// Why the last attempt or link failed, for people.
package enum LinkFailure: Hashable, Sendable, CustomStringConvertible {
    case dial(DialFailure)
    case noAddress
    case noHello
    case noAnswer
    case carrierClosed(CarrierEnd)
    case refused(RefusalReason)
    case silent

    package var description: String {
        switch self {
        case .dial(let failure): "dial: \(failure)"
        case .noAddress: "no address"
        case .noHello: "no hello"
        case .noAnswer: "no answer"
        case .carrierClosed(let end): "carrier \(end)"
        case .refused(let reason): "refused: \(reason)"
        case .silent: "silent"
        }
    }
}
