import Primitives

/// What one peer may make this node do, beside what all together may; full from the start, whatever the time is.
struct PeerAllowances {
    /// Invitations and offers of keys that are answered.
    var agreements: TokenBucket
    /// Datagrams of any of its sessions, and those that it brings for others: these have an allowance of their own, so
    /// that they cannot silence the neighbour.
    var datagrams: TokenBucket
    var relayed: TokenBucket
    /// Lists of the channels that it listens to.
    var channelLists: TokenBucket
    /// Changes of what its control blocks say: that it talks, records, takes plain sound.
    var flagChanges: TokenBucket
    /// Tunnels that it asks for, and that it says others ask for.
    var tunnelRequests: TokenBucket
    /// Its connect requests that are brought to others.
    var connectRequestsForwarded: TokenBucket
    /// Rows of links, and their changes, that are read.
    var linkStatesAccepted: TokenBucket
    /// Records of nodes nobody has told of before that are kept.
    var newIdentities: TokenBucket
    /// Signatures of records and connect requests that are checked.
    var recordChecks: TokenBucket
    /// Lists of versions that are answered.
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
