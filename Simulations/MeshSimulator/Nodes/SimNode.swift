import Mesh
import Primitives
package import Trust
import Wire

/// Makes the `Sealing`, the provider of all cryptography, for one start of a node: the same identity for the same
/// `identity`, and other secrets for every `randomness`.
package typealias SealingFactory = @Sendable (_ identity: UInt64, _ randomness: UInt64) -> any Sealing

/// One simulated process, and the state that its machine keeps across restarts.
final class SimNode {
    enum Process {
        case off
        case running
        /// The process reads nothing. Input that its kernel accepts meanwhile waits.
        case paused(since: Instant)
    }

    /// An input that waits until the process reads again, in order.
    enum Held {
        case input(MeshInput, TraceKind, digest: UInt64, author: Int?)
        case stream(CarrierModel.StreamTicket)
        /// What waits at the gate of a carrier that Core has opened.
        case gate(CarrierID)
    }

    let name: String
    /// Seed of the identity. It outlives restarts, as the key file does.
    let identity: UInt64
    /// The node's clock minus the world's.
    var clockOffset: Interval
    /// Drift of the clock from the world's clock in parts per million, and since when.
    var driftPartsPerMillion: Int64 = 0
    var driftSince = Instant.zero
    /// Slowness of the processor; nil while it keeps up. The slowness outlives restarts, as the load of a machine
    /// does.
    var slowness: SlowProcessor?
    /// Counts how often the processor was slowed or freed.
    var slowEpisode: UInt32 = 0
    /// The instance of the last start, as in the state folder.
    var instanceOnDisk: UInt64 = 0
    var remembered: [PeerHint] = []
    /// The directory's entries, as in the state file.
    var entriesOnDisk: [(channel: ChannelID, bytes: [UInt8])] = []
    /// The codes of channels, as in the state file.
    var codesOnDisk: [(channel: ChannelID, code: UInt8)] = []
    /// When the person last entered or removed the code of a channel; nil if never.
    var codesChangedAt: Instant?
    /// Channels of which the node has told its person that no linked peer has the channel with the same code.
    var channelsNobodyHas: [ChannelID] = []
    var staticPeers: [Endpoint] = []
    var admissionPolicy = AdmissionPolicy.open
    /// Whether the person allows the node to reach outside its own networks (`--reach`).
    var reachesBeyond = true
    /// Name of the node's mesh; nil for the world's own name.
    var meshName: String?
    /// What the node is to its mesh when it starts.
    var standing = MeshStanding.open
    /// What a hostile member does beside its machines; nil for an honest node.
    var hostile: HostileMember?

    /// Version of the record that the node announced last.
    var announced: RecordVersion?
    /// The instance of the present life: on disk since the start, or advanced since; nil while the node is off.
    var instance: Instance?
    /// The life that last had each instance.
    var lastLife: [Instance: UInt32] = [:]
    /// Counts the starts.
    var life: UInt32 = 0
    var startedAt = Instant.zero
    var process = Process.off
    var core: NodeBox?
    var dialBudget: DialBudget
    /// The peer that each dial under way is for.
    var dialled: [DialID: Int] = [:]
    /// The ids of all dials under way, also of those that expect no particular peer, and of those through tunnels.
    var dialPlaces: Set<DialID> = []
    /// The tunnels that end at the process.
    var tunnels: TunnelShell?
    /// By carrier, until Core trusts its peer.
    var gates: [CarrierID: FrameGate<Held>] = [:]
    var receiveLog = ReceiveLog()
    /// Nil if voice is not simulated.
    var voice: SimVoice?
    /// Whether the shell has a fault: it never wakes its node.
    var ignoresDeadlines = false
    /// The earliest wake-up that is scheduled. Later ones in the queue are ignored.
    var wakeAt: Instant?
    /// Number of wake-ups handled in a row at one instant.
    var wakesAtOneInstant = 0
    var held: [Held] = []
    var heldDatagramCount = 0
    /// The peer in each slot, as the node's own events reported.
    var slots: [SlotHolder?] = Array(repeating: nil, count: MeshScale.peersMax)
    /// The reports of the node's events about each link, by slot. An entry is reset when its link goes down.
    var reported = [MeshSnapshot.Reported](repeating: MeshSnapshot.Reported(), count: MeshScale.peersMax)
    /// Counts the voice packets of this life.
    var voiceSequence: UInt32 = 0

    /// Bytes that a stranger on the link could have kept, and can replay. `beacon`: the last beacon that the node sent.
    /// `beaconOfEarlierLife`: the last one before its process last ended. `lastDatagrams`: the last datagram for each
    /// target.
    var beacon: [UInt8] = []
    var beaconOfEarlierLife: [UInt8] = []
    var lastDatagrams: [[UInt8]]
    /// For each carrier that runs through a tunnel: the node at the far end. The entry stays after the carrier has
    /// closed.
    var tunnelPeers: [CarrierID: Int] = [:]
    /// By sender, the digest of the datagram that arrived last.
    var lastArrived: [UInt64]
    var lastDatagramsOfEarlierLife: [[UInt8]]

    /// `lastInvitations`: for each target, the bytes of the last INVITE that the node sent. `lastAcceptances`: the same
    /// for ACCEPT. A hostile member could have kept them.
    var lastInvitations: [[UInt8]]
    var lastAcceptances: [[UInt8]]
    /// `lastInvitationsArrived`: for each sender, the digest of the last INVITE that arrived. `lastAcceptancesArrived`:
    /// the same for ACCEPT.
    var lastInvitationsArrived: [UInt64]
    var lastAcceptancesArrived: [UInt64]

    struct SlotHolder {
        var peer: Int
        var instance: Instance
        /// When the link came up or last changed its path, on the world's clock.
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

    /// Whether this node's voice goes to the peer in that slot, as a real node decides it.
    func hasListener(_ slot: Int) -> Bool { slots[slot] != nil && reported[slot].listens }

    /// Forgets all that the process alone kept.
    func endProcess() {
        process = .off
        core = nil
        voice = nil
        tunnels = nil
        gates = [:]
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

/// The instants at which a process read datagrams that it can open. They show its receive outages.
struct ReceiveLog {
    private var heardAt = Instant.zero
    /// When the last receive outage ended.
    private var receiveOutageUntil = Instant.zero
    /// When the last receive outage ended that was so long that the process then began to measure the silence of every
    /// peer anew (`MeshLimits.receiveOutageMin`).
    private(set) var beganAnewAt = Instant.zero

    mutating func hear(at instant: Instant) {
        if heardAt + MeshLimits.receiveOutageMin <= instant { beganAnewAt = instant }
        if heardAt + MeshLimits.receiveOutageSilenceMin <= instant { receiveOutageUntil = instant }
        heardAt = instant
    }

    /// Returns when the last receive outage ended; `now` while one lasts.
    func receiveOutageUntil(_ now: Instant) -> Instant {
        heardAt + MeshLimits.receiveOutageSilenceMin <= now ? now : receiveOutageUntil
    }
}
