package import Primitives
package import Wire

/// One peer: the link's state, what was agreed, where it may be reached, and how it has behaved.
package struct PeerLink {
    package let node: NodeID
    package let slot: PeerSlot
    /// Whether this node leads the pair: the greater NodeID invites.
    package let isLeader: Bool

    package var state = LinkState.down(dialAt: .distantFuture)
    package var presence = PeerPresence.unmet
    /// Whether it has been up since this node began.
    var hasBeenUp = false
    /// When it was last drawn from among the dead.
    package var drawnAt: Instant?
    package var flaps = FlapDamping()
    /// Agreed and proved by an echo. In states other than up and verifying it sleeps: an echo wakes it.
    var session: Session?
    /// Offered or agreed, no nonce echoed yet; becomes `session` on the first echo.
    var candidate: Session?
    /// Replaced make-before-break; opens what is still under way.
    var retired: RetiredSession?
    /// A new carrier for a living link.
    package var renewal = CarrierRenewal.none
    /// When a new carrier was last dialled for.
    package var renewedAt: Instant?
    var renewals = renewalsAtFirst
    /// Full, whatever the time is.
    static let renewalsAtFirst = TokenBucket(
        burst: MeshLimits.renewalsBurst, interval: MeshLimits.renewalInterval, now: .zero)
    package var dials = DialPlan()
    /// Neighbours asked for a tunnel since a carrier last greeted, so that each has its turn.
    package var neighboursAsked: [PeerSlot] = []
    package var directSearch = DirectSearch()
    package var addresses = AddressBook()
    package var backoff = Backoff()
    package var connectRequests = ConnectRequestSchedule()
    /// The leader's count of attempts with this peer.
    package var attempt: UInt32 = 0
    package var probeSequence: UInt32?

    /// Another boot that wants in while one is up.
    package var duplicateBoot: DuplicateBoot?

    package var wantedUntil: Instant = .zero
    /// Of one that is gone: whether a hint led to the present attempt, and before when no further one does.
    var isHinted = false
    var hintsHeededAt: Instant = .zero
    package var isLearnedByGossip = false
    package var lastFailure: LinkFailure?
    /// The wait that a carrier interrupted; it goes on where that one closes before it greets.
    var interrupted: (by: CarrierID, dialAt: Instant)?
    package var refusedByPerson = false
    /// Refusals one after another, without a link between them.
    var refusalsInARow = 0
    /// A living duplicate has stood between this node and the peer since it was last linked.
    package var hasMetDuplicate = false

    /// Where it listens, by the word of this boot.
    package var channels: [ChannelID] = []
    var channelsSaidBy: BootNonce?
    /// A later list, above the peer's allowance.
    var channelsUnread: UnreadChannels?
    var advertisedPath = AdvertisedPath()
    package var links: [AdvertisedLink] = []
    package var linkStatesDigest: UInt64?
    /// Which telling of the own row it has; nil where it lacks one.
    package var ownLinksAdvertised: LinksAdvertised?
    /// Greeted with a row that nobody else was told: where the row is again what was told before, it has to be told so.
    var awaitsOwnAdvertisement = false
    package var isTalking = false
    package var takesPlain = false
    package var isRecording = false
    /// What the peer hears of this node, and what this node hears of the peer.
    package var peerReport: ReceptionReport?
    package var ownReport: ReceptionReport?
    var versions = VersionsSchedule()
    var allowances: PeerAllowances

    package init(node: NodeID, slot: PeerSlot, isLeader: Bool, _ capacity: MeshCapacity) {
        self.node = node
        self.slot = slot
        self.isLeader = isLeader
        allowances = PeerAllowances(capacity)
    }
}

/// A boot that claims a living peer's identity, and when that peer was asked for a sign of life.
package struct DuplicateBoot: Hashable, Sendable {
    package var bootNonce: BootNonce
    package var askedAt: Instant
}

/// Where a peer listens by a list that is read later.
struct UnreadChannels {
    var channels: [ChannelID]
    var saidBy: BootNonce?
    var readAt: Instant
}

struct RetiredSession {
    var session: Session
    var until: Instant
}

/// A new carrier beside a link that is up: the second axis of the machine in `LinkState`.
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

/// Why the last attempt came to nothing, for people.
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
