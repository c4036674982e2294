import Primitives

/// What one peer may make this node do, beside what all together may; full from the start, whatever the time is.
struct PeerAllowances {
    /// Invitations and offers of keys that are answered.
    var agreements = bucket(MeshLimits.agreementsBurst, MeshLimits.agreementInterval)
    /// Datagrams of any of its sessions, and those that it brings for others: these have an allowance of their own, so
    /// that they cannot silence the neighbour.
    var datagrams = bucket(MeshLimits.datagramsPerPeerBurst, MeshLimits.datagramsPerPeerInterval)
    var relayed = bucket(MeshLimits.datagramsPerPeerBurst, MeshLimits.datagramsPerPeerInterval)
    /// Lists of the channels that it listens to.
    var channelLists = bucket(MeshLimits.channelListsBurst, MeshLimits.channelListInterval)
    /// Changes of what its control blocks say: that it talks, records, takes plain sound.
    var flagChanges = bucket(MeshLimits.flagChangesBurst, MeshLimits.flagChangeInterval)
    /// Tunnels that it asks for, and that it says others ask for.
    var tunnelRequests = bucket(TunnelLimits.requestsPerPeerBurst, TunnelLimits.requestPerPeerInterval)
    /// Its knocks that are brought to others.
    var knocksForwarded = bucket(MeshLimits.knocksForwardedPerPeerBurst, MeshLimits.knocksForwardedPerPeerInterval)
    /// Rows of links, and their changes, that are read.
    var rowsTaken = bucket(MeshLimits.linkRowsTakenBurst, MeshLimits.linkRowTakenInterval)
    /// Records of nodes nobody has told of before that are kept.
    var newIdentities = bucket(MeshLimits.newIdentitiesBurst, MeshLimits.newIdentityInterval)
    /// Signatures of records and knocks that are checked.
    var recordChecks = bucket(MeshLimits.recordChecksPerPeerBurst, MeshLimits.recordCheckPerPeerInterval)
    /// Lists of versions that are answered.
    var versionsAnswered = bucket(MeshLimits.versionsAnsweredBurst, MeshLimits.versionsAnsweredInterval)

    private static func bucket(_ burst: Int, _ interval: Interval) -> TokenBucket {
        TokenBucket(burst: burst, interval: interval, now: .zero)
    }
}
