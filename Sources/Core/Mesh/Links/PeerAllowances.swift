import Primitives

/// Limits on the work that one peer can cause at this node, beside the limits for all peers together. Every bucket is
/// full until its first use.
struct PeerAllowances {
    /// Invitations and key offers that this node answers.
    var agreements: TokenBucket
    /// Datagrams of any session with the peer: `datagrams` for the peer's own content, `relayed` for those that
    /// contain a relayed datagram. Relayed ones are counted apart, so that they cannot silence the neighbour.
    var datagrams: TokenBucket
    var relayed: TokenBucket
    /// Lists of the channels that the peer listens to.
    var channelLists: TokenBucket
    /// Changes of the flags in its control blocks: it talks, records, takes plain sound.
    var flagChanges: TokenBucket
    /// Tunnels that the peer requests, for itself or on behalf of others.
    var tunnelRequests: TokenBucket
    /// Connect requests of the peer that this node forwards.
    var connectRequestsForwarded: TokenBucket
    /// Link states of the peer, whole or as changes, that this node uses.
    var linkStatesAccepted: TokenBucket
    /// Records of unknown nodes that this node keeps.
    var newIdentities: TokenBucket
    /// Signatures of records and connect requests that this node checks.
    var recordChecks: TokenBucket
    /// Lists of versions that this node answers.
    var versionsAnswered: TokenBucket

    init(_ capacity: MeshCapacity) {
        agreements = Self.bucket(capacity.agreementsBurst, MeshLimits.agreementInterval)
        datagrams = Self.bucket(MeshLimits.datagramsPerPeerBurst, MeshLimits.datagramsPerPeerInterval)
        relayed = Self.bucket(MeshLimits.datagramsPerPeerBurst, MeshLimits.datagramsPerPeerInterval)
        channelLists = Self.bucket(MeshLimits.channelListsBurst, MeshLimits.channelListInterval)
        flagChanges = Self.bucket(MeshLimits.flagChangesBurst, MeshLimits.flagChangeInterval)
        tunnelRequests = Self.bucket(capacity.tunnelRequestsBurst, TunnelLimits.requestPerPeerInterval)
        connectRequestsForwarded = Self.bucket(
            capacity.connectRequestsForwardedBurst, MeshLimits.connectRequestsForwardedPerPeerInterval)
        linkStatesAccepted = Self.bucket(capacity.linkStatesAcceptedBurst, MeshLimits.linkStatesAcceptedInterval)
        newIdentities = Self.bucket(capacity.newIdentitiesBurst, MeshLimits.newIdentityInterval)
        recordChecks = Self.bucket(capacity.recordChecksBurst, MeshLimits.recordCheckPerPeerInterval)
        versionsAnswered = Self.bucket(capacity.versionsAnsweredBurst, MeshLimits.versionsAnsweredInterval)
    }

    private static func bucket(_ burst: Int, _ interval: Interval) -> TokenBucket {
        TokenBucket(burst: burst, interval: interval, now: .zero)
    }
}
