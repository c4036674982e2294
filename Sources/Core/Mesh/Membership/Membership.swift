import Primitives
import Trust
import Wire

/// Who belongs to the mesh: this node's own record, the records of others, and what each neighbour advertises of
/// itself and was advertised of this node.
struct Membership {
    /// What one peer has advertised, and what it has been sent.
    struct Peer {
        let node: NodeID
        /// Channels that the peer listens to, as sent by the boot `channelsSaidBy`.
        var channels: [ChannelID] = []
        var channelsSaidBy: BootNonce?
        /// A later channel list, above the peer's allowance.
        var channelsUnread: UnreadChannels?
        var links: [AdvertisedLink] = []
        var linkStatesDigest: UInt64?
        /// Link states that came with a session before its first echo. The peer is already up and does not send them
        /// again.
        var linksBeforeEcho: [AdvertisedLink]?
        var linksDeferred: DeferredLinkStates?
        /// The digest of records in the newest control block of the session.
        var recordsDigest: UInt64?
        /// Which advertisement of this node's link states the peer has; nil if it may lack the last one.
        var ownLinksAdvertised: LinksAdvertised?
        /// Whether the peer's session began with link states that differ from those last advertised to all. If the
        /// link states turn back to those, this peer must be sent them again.
        var awaitsOwnAdvertisement = false
        var versions = VersionsSchedule()
        /// Lists of the channels that the peer listens to.
        var channelLists: TokenBucket
        /// Link states of the peer, whole or as changes, that this node uses.
        var linkStatesAccepted: TokenBucket
        /// Records of unknown nodes that this node keeps.
        var newIdentities: TokenBucket
        /// Signatures of records and connect requests that this node checks.
        var recordChecks: TokenBucket
        /// Lists of versions that this node answers.
        var versionsAnswered: TokenBucket

        init(_ node: NodeID, _ capacity: MeshCapacity) {
            self.node = node
            func bucket(_ burst: Int, _ interval: Interval) -> TokenBucket {
                TokenBucket(burst: burst, interval: interval, now: .zero)
            }
            channelLists = bucket(MeshLimits.channelListsBurst, MeshLimits.channelListInterval)
            linkStatesAccepted = bucket(capacity.linkStatesAcceptedBurst, MeshLimits.linkStatesAcceptedInterval)
            newIdentities = bucket(capacity.newIdentitiesBurst, MeshLimits.newIdentityInterval)
            recordChecks = bucket(capacity.recordChecksBurst, MeshLimits.recordCheckPerPeerInterval)
            versionsAnswered = bucket(capacity.versionsAnsweredBurst, MeshLimits.versionsAnsweredInterval)
        }

        var channelsReadAt: Instant { channelsUnread?.readAt ?? .distantFuture }
        var linksReadAt: Instant { linksDeferred?.readAt ?? .distantFuture }

        mutating func considerWaits(_ earliest: inout EarliestDeadline) {
            earliest.consider(versions.dueAt, .gossip)
            earliest.consider(channelsReadAt, .gossip)
            earliest.consider(linksReadAt, .linkStates)
        }
    }

    private var peers: [Peer] = []
    private let capacity: MeshCapacity
    var own: OwnRecord
    var roster = Roster()
    var gossip = GossipSchedule()
    var linkAdvertisement = LinkAdvertisementSchedule()
    var clique = CliqueState()
    var instanceAdvance = InstanceAdvance.highest
    var advances: TokenBucket
    var beaconNews: TokenBucket
    var recordChecks: TokenBucket

    init(_ configuration: MeshConfiguration, sealing: any Sealing, now: Instant) {
        capacity = configuration.capacity
        own = OwnRecord(configuration, sealing: sealing)
        beaconNews = TokenBucket(burst: capacity.beaconNewsBurst, interval: MeshLimits.beaconNewsInterval, now: now)
        recordChecks = TokenBucket(
            burst: MeshLimits.recordChecksBurst, interval: MeshLimits.recordCheckInterval, now: now)
        advances = TokenBucket(burst: MeshLimits.advancesBurst, interval: MeshLimits.advanceInterval, now: now)
        peers.reserveCapacity(MeshScale.peersMax)
    }

    /// Begins anew with a peer that got the slot `index`.
    mutating func open(_ index: Int, for node: NodeID) { peers.open(index, Peer(node, capacity)) }

    subscript(index: Int) -> Peer {
        get { peers[index] }
        _modify { yield &peers[index] }
    }
}
