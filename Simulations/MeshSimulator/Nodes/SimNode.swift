import Mesh
import Primitives
package import Trust
import Wire

/// Makes the sealing of one life of a node: the same identity for the same `identity`, fresh
/// secrets for every `randomness`.
package typealias SealingFactory = @Sendable (_ identity: UInt64, _ randomness: UInt64) -> any Sealing

/// One simulated process and what its machine keeps for it across restarts.
///
/// ```
///   off ── start ──► running ── pause ──► paused
///    ▲                  │ ▲                  │
///    └─ kill, leave ────┘ └──── resume ──────┘
/// ```
final class SimNode {
    enum Process {
        case off
        case running
        /// Takes nothing; what its kernel accepts meanwhile waits.
        case paused(since: Instant)
    }

    /// What waits for a paused process, in order.
    enum Held {
        case input(MeshInput, TraceKind, digest: UInt64, author: Int?)
        case stream(CarrierModel.StreamTicket)
    }

    let name: String
    /// Outlives restarts, as the key file does.
    let identity: UInt64
    /// The node's clock minus the world's.
    var clockOffset: Interval
    /// How fast the clock runs beside the world's, in millionths, since when.
    var driftPartsPerMillion: Int64 = 0
    var driftSince = Instant.zero
    /// How its processor is too slow; nil where it keeps up. Outlives restarts, as a busy machine does.
    var slowness: SlowProcessor?
    /// Counts the times that it was slowed or freed.
    var slowEpisode: UInt32 = 0
    /// The instance of the last start, as its file says.
    var instanceOnDisk: UInt64 = 0
    var remembered: [PeerHint] = []
    var staticPeers: [Endpoint] = []
    var invitations = InvitationPolicy.open
    /// Whether the person let it reach beyond its own networks (`--reach`).
    var reachesBeyond = true
    /// Nil where it is that of the world.
    var meshName: String?

    /// What it has said of itself last.
    var announced: RecordVersion?
    /// As which the present life runs: on disk since its start, or raised since.
    var instance: Instance?
    /// Which life ran last under an instance.
    var lastLife: [Instance: UInt32] = [:]
    /// Counts the starts.
    var life: UInt32 = 0
    var startedAt = Instant.zero
    var process = Process.off
    var mesh: MeshBox?
    var dialBudget: DialBudget
    /// Whom each dial under way is for.
    var dialled: [DialID: Int] = [:]
    /// All under way, also to addresses of which nobody knows who is there, and through tunnels.
    var dialPlaces: Set<DialID> = []
    /// What the process keeps of tunnels that end at it.
    var tunnels: TunnelShell?
    var receiveLog = ReceiveLog()
    /// Nil where voice is not simulated.
    var voice: SimVoice?
    /// A fault of the shell: it forgets to wake its node.
    var ignoresDeadlines = false
    /// The earliest wake-up that is scheduled; later ones in the queue mean nothing.
    var wakeAt: Instant?
    /// Wake-ups handled in a row without any time passing.
    var wakesAtOneInstant = 0
    var held: [Held] = []
    var heldDatagramCount = 0
    /// Who has which slot, as the node's own events said.
    var slots: [SlotHolder?] = Array(repeating: nil, count: MeshScale.peersMax)
    /// What events have told of each; a link that goes down takes it along.
    var reported = [MeshSnapshot.Reported](repeating: MeshSnapshot.Reported(), count: MeshScale.peersMax)
    /// Counts the voice packets of this life.
    var voiceSequence: UInt32 = 0

    /// What a replaying stranger on the link could have kept: this life's and the last one's.
    var beacon: [UInt8] = []
    var beaconOfEarlierLife: [UInt8] = []
    var lastDatagrams: [[UInt8]]
    /// Who was at the far end of each carrier in a tunnel, also after it closed.
    var tunnelPeers: [CarrierID: Int] = [:]
    /// By sender, the digest of the datagram that came last.
    var lastArrived: [UInt64]
    var lastDatagramsOfEarlierLife: [[UInt8]]

    /// What a hostile member could have kept of its negotiations with each other node.
    var lastInvitations: [[UInt8]]
    var lastAcceptances: [[UInt8]]
    /// By sender, the digests of the INVITE and of the ACCEPT that came last.
    var lastInvitationsArrived: [UInt64]
    var lastAcceptancesArrived: [UInt64]

    struct SlotHolder {
        var peer: Int
        var instance: Instance
        /// By the world's clock: when the link came up, or last went another way.
        var pathSince: Instant
    }

    init(name: String, identity: UInt64, clockOffset: Interval, nodeCount: Int) {
        self.name = name
        self.identity = identity
        self.clockOffset = clockOffset
        dialBudget = DialBudget(now: .zero + clockOffset)
        lastDatagrams = Array(repeating: [], count: nodeCount)
        lastArrived = Array(repeating: 0, count: nodeCount)
        lastDatagramsOfEarlierLife = lastDatagrams
        lastInvitations = lastDatagrams
        lastAcceptances = lastDatagrams
        lastInvitationsArrived = lastArrived
        lastAcceptancesArrived = lastArrived
    }

    /// Keeps dial hints as the state file would: the newest few.
    func remember(_ hint: PeerHint) {
        remembered.removeAll { $0.node == hint.node }
        remembered.append(hint)
        if MeshScale.peersMax < remembered.count { remembered.removeFirst() }
    }

    /// Whether this node's voice goes to that slot, as a real node decides it.
    func hasListener(_ slot: Int) -> Bool { slots[slot] != nil && reported[slot].listens }

    /// Forgets what lived in the process alone.
    func endProcess() {
        process = .off
        mesh = nil
        voice = nil
        tunnels = nil
        instance = nil
        wakeAt = nil
        held = []
        heldDatagramCount = 0
        for index in slots.indices {
            slots[index] = nil
            reported[index] = MeshSnapshot.Reported()
        }
        beaconOfEarlierLife = beacon
        lastDatagramsOfEarlierLife = lastDatagrams
        voiceSequence = 0
    }
}
