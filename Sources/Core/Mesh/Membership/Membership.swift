import Primitives
import Trust
import Wire

/// Who belongs to the mesh: this node's own record, the records of others, and what each neighbour advertises of
/// itself and was advertised of this node.
struct Membership {
    private var peers: [Peer] = []
    let capacity: MeshCapacity
    var own: OwnRecord
    var roster = Roster()
    var gossip = GossipSchedule()
    var ownChannels: [ChannelID]
    var ownLinks = LinkStates()
    var linkStatesSchedule = LinkStatesSchedule()
    var clique = CliqueState()
    var instanceAdvance = InstanceAdvance.highest
    /// Advances of this boot's own instance.
    var advances: TokenBucket
    /// Records from beacons that this node passes on.
    var beaconNews: TokenBucket
    /// Signatures of records and connect requests of all peers that this node checks.
    var recordChecks: TokenBucket

    init(_ configuration: MeshConfiguration, sealing: any Sealing, now: Instant) {
        capacity = configuration.capacity
        own = OwnRecord(configuration, sealing: sealing)
        ownChannels = Array(configuration.channels.prefix(WireLimits.channelsMax))
        beaconNews = TokenBucket(burst: capacity.beaconNewsBurst, interval: MeshLimits.beaconNewsInterval, now: now)
        recordChecks = TokenBucket(
            burst: MeshLimits.recordChecksBurst, interval: MeshLimits.recordCheckInterval, now: now)
        advances = TokenBucket(burst: MeshLimits.advancesBurst, interval: MeshLimits.advanceInterval, now: now)
        peers.reserveCapacity(MeshScale.peersMax)
    }

    /// This node.
    var node: NodeID { own.record.node }

    /// Begins anew with a peer that got the slot `index`.
    mutating func open(_ index: Int, for node: NodeID) { peers.open(index, Peer(node, capacity)) }

    subscript(index: Int) -> Peer {
        get { peers[index] }
        _modify { yield &peers[index] }
    }

    /// Considers the waits of this node; `Peer.considerWaits` considers those of one peer.
    func considerWaits(_ earliest: inout EarliestDeadline) {
        earliest.consider(gossip.newsDueAt, .gossip)
        earliest.consider(linkStatesSchedule.dueAt, .linkStates)
        earliest.consider(gossip.digestExpiresAt, .record)
        earliest.consider(instanceAdvance.deadline, .advance)
    }
}
