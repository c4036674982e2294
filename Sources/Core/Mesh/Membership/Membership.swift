import Primitives
import Trust
import Wire

/// Who belongs to the mesh: this node's own record, the records of others, what each neighbour advertises of itself,
/// and what each neighbour was sent.
struct Membership {
    private var peers: [Peer] = []
    let capacity: MeshCapacity
    var own: OwnRecord
    var roster = Roster()
    var gossip = GossipSchedule()
    var ownChannels: ChannelView
    /// The channels on which this node talks now.
    var talkedOn: [ChannelID] = []
    var ownLinks = LinkStates()
    var linkStatesSchedule = LinkStatesSchedule()
    var clique = CliqueState()
    var instanceAdvance = InstanceAdvance.highest
    /// The allowance for advances of this boot's own instance.
    var advances: TokenBucket
    var newsAllowances: NewsAllowances
    /// The allowance for signatures, of records and connect requests of all peers, that this node checks.
    var recordChecks: TokenBucket

    init(_ configuration: MeshConfiguration, sealing: any Sealing, now: Instant) {
        capacity = configuration.capacity
        own = OwnRecord(configuration, sealing: sealing)
        ownChannels = ChannelView(configuration.channels, talks: configuration.talks)
        newsAllowances = NewsAllowances(
            beacons: TokenBucket(
                burst: capacity.beaconNewsBurst, interval: MeshLimits.beaconNewsInterval, now: now),
            newNodes: TokenBucket(
                burst: MeshLimits.newIdentitiesBurst, interval: MeshLimits.newIdentityInterval, now: now))
        recordChecks = TokenBucket(
            burst: MeshLimits.recordChecksBurst, interval: MeshLimits.recordCheckInterval, now: now)
        advances = TokenBucket(burst: MeshLimits.advancesBurst, interval: MeshLimits.advanceInterval, now: now)
        peers.reserveCapacity(MeshScale.peersMax)
    }

    /// This node.
    var node: NodeID { own.record.node }

    /// Resets the entry at `index` for the peer that got this slot.
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

/// Of how many unknown nodes the neighbours are told.
struct NewsAllowances {
    /// For records from beacons that this node passes on at all; an unknown node needs a token of `newNodes` too.
    var beacons: TokenBucket
    /// For unknown nodes that connect to this node, or of which a peer or a beacon tells. It equals the number that
    /// each neighbour takes from this node (`Membership.Peer.newIdentities`). Without it, a stranger that connects with
    /// ever new keys or sends beacons of them, or a few members that invent nodes, would make this node send records
    /// that the neighbours refuse, again and again because the digests differ.
    var newNodes: TokenBucket
}
