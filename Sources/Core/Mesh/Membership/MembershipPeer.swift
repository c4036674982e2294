import Primitives
import Wire

extension Membership {
    /// What one peer has advertised, and what it has been sent.
    struct Peer {
        let node: NodeID
        var channelList = ChannelList()
        var linkStates: NeighbourLinkStates
        var ownLinksSent = OwnLinksSent()
        /// The digest of records in the newest control block of the session.
        var recordsDigest: UInt64?
        var versions = VersionsSchedule()
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
            linkStates = NeighbourLinkStates(
                allowance: bucket(capacity.linkStatesAcceptedBurst, MeshLimits.linkStatesAcceptedInterval))
            newIdentities = bucket(capacity.newIdentitiesBurst, MeshLimits.newIdentityInterval)
            recordChecks = bucket(capacity.recordChecksBurst, MeshLimits.recordCheckPerPeerInterval)
            versionsAnswered = bucket(capacity.versionsAnsweredBurst, MeshLimits.versionsAnsweredInterval)
        }

        var channels: [ChannelID] { channelList.channels }
        var channelsReadAt: Instant { channelList.readAt }
        var links: [AdvertisedLink] { linkStates.links }
        var linkStatesDigest: UInt64? { linkStates.digest }
        var linksReadAt: Instant { linkStates.readAt }

        /// The link to `other` that the peer advertises; nil if it advertises none.
        func advertisedLink(to other: NodeID) -> AdvertisedLink? { linkStates.links.first { $0.peer == other } }

        /// Another session takes over: forgets the link states that wait, and the digest, which the next control block
        /// brings.
        mutating func beginSession() {
            linkStates.beginSession()
            recordsDigest = nil
        }

        /// Forgets what came with a candidate that is given up.
        mutating func dropCandidate() { linkStates.dropCandidate() }

        /// Forgets the channel lists of other boots than the one whose link has come up.
        mutating func keepChannels(saidBy boot: BootNonce) { channelList.keepOnly(saidBy: boot) }

        /// Forgets what held for the session that has ended.
        /// - Parameter keepsChannels: whether a candidate is there. The channel list may have come with it, and the
        ///   peer sends the list only once.
        mutating func endSession(keepsChannels: Bool) {
            recordsDigest = nil
            linkStates.endSession()
            if !keepsChannels { channelList.clear() }
            versions.end()
        }

        mutating func considerWaits(_ earliest: inout EarliestDeadline) {
            earliest.consider(versions.dueAt, .gossip)
            earliest.consider(channelsReadAt, .gossip)
            earliest.consider(linksReadAt, .linkStates)
        }
    }
}
