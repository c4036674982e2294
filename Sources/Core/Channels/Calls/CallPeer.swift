import Primitives

/// What the calls of this node know of one linked peer.
struct CallPeer: Sendable {
    let node: NodeID
    var isLinked = true
    /// The channels to which it listens.
    var channels: [ChannelID] = []
    private var calls: TokenBucket
    /// Requests of the peer to close the microphone of this node.
    private var requestsToThisNode: TokenBucket
    /// Its requests to other nodes, which are only shown here.
    private var requestsToOthers: TokenBucket
    /// Calls of this node to the peer.
    private var ownCalls: TokenBucket
    /// Requests of this node to close the microphone of the peer.
    private var ownRequests: TokenBucket

    init(_ node: NodeID, now: Instant) {
        self.node = node
        calls = TokenBucket(burst: CallLimits.callsBurst, interval: CallLimits.callInterval, now: now)
        requestsToThisNode = TokenBucket(burst: 1, interval: CallLimits.requestInterval, now: now)
        requestsToOthers = TokenBucket(burst: CallLimits.requestsMax, interval: CallLimits.requestInterval, now: now)
        let margin = CallLimits.ownIntervalMargin
        ownCalls = TokenBucket(burst: CallLimits.callsBurst, interval: CallLimits.callInterval + margin, now: now)
        ownRequests = TokenBucket(burst: 1, interval: CallLimits.requestInterval + margin, now: now)
    }

    mutating func admitsCall(now: Instant) -> Bool { calls.take(now: now) }

    /// - Parameter isOfThisNode: whether the request is about the microphone of this node.
    mutating func admitsRequest(isOfThisNode: Bool, now: Instant) -> Bool {
        isOfThisNode ? requestsToThisNode.take(now: now) : requestsToOthers.take(now: now)
    }

    /// Returns how long the peer still drops calls of this node.
    mutating func waitForCall(now: Instant) -> Interval { ownCalls.nextToken(now: now) - now }

    /// Counts a call of this node. One that the peer drops now counts too: the peer may take a copy of it later.
    mutating func countCall(now: Instant) { ownCalls.charge(1, now: now) }

    /// Returns how long the peer still drops requests of this node to close the microphone of the peer.
    mutating func waitForRequest(now: Instant) -> Interval { ownRequests.nextToken(now: now) - now }

    /// Counts a request of this node to close the microphone of the peer.
    mutating func countRequest(now: Instant) { ownRequests.charge(1, now: now) }
}

/// The peers of a node by slot. The allowances of a peer outlive its link, until another peer takes the slot.
struct CallPeers: Sendable {
    private var peers: [CallPeer?] = []

    init() { peers.reserveCapacity(MeshScale.peersMax) }

    /// The peer that is linked in this slot; nil if there is none. Setting changes the peer.
    subscript(slot: PeerSlot) -> CallPeer? {
        get {
            guard slot.index < peers.count, let peer = peers[slot.index], peer.isLinked else { return nil }
            return peer
        }
        set { peers[slot.index] = newValue }
    }

    mutating func begin(_ slot: PeerSlot, _ node: NodeID, now: Instant) {
        while peers.count <= slot.index { peers.append(nil) }
        if peers[slot.index]?.node == node {
            peers[slot.index]?.isLinked = true
        } else {
            peers[slot.index] = CallPeer(node, now: now)
        }
    }

    mutating func end(_ slot: PeerSlot) {
        guard slot.index < peers.count else { return }
        peers[slot.index]?.isLinked = false
        peers[slot.index]?.channels = []
    }

    mutating func setChannels(_ channels: [ChannelID], of slot: PeerSlot) {
        if self[slot] != nil { peers[slot.index]?.channels = channels }
    }

    /// The slot of a linked peer.
    func slot(of node: NodeID) -> PeerSlot? {
        peers.firstIndex { $0?.node == node && $0?.isLinked == true }.map { PeerSlot(index: $0) }
    }

    /// The linked peers that listen to a channel; all linked peers if it is nil.
    func linked(on channel: ChannelID?) -> [(slot: PeerSlot, node: NodeID)] {
        peers.indices.compactMap { index in
            guard let peer = peers[index], peer.isLinked else { return nil }
            guard channel.map({ peer.channels.contains($0) }) ?? true else { return nil }
            return (PeerSlot(index: index), peer.node)
        }
    }
}
