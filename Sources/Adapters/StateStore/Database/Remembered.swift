package import Primitives

/// What the database brought from earlier starts.
package struct Remembered: Hashable, Sendable {
    /// Dial hints, the last seen first; no roster.
    package var peers: [KnownPeer] = []
    /// Volumes, mutes and blocks.
    package var preferences: [PeerPreference] = []
    /// Where this node talked and listened last.
    package var channel: String?
    /// The port on which it listened last.
    package var port: UInt16?

    package init() {}
}

/// A peer that was linked once, and where.
package struct KnownPeer: Hashable, Sendable {
    /// Who it is.
    package var node: NodeID
    /// What it was called last.
    package var name: SafeText
    /// At most `StateLimits.endpointsPerPeerMax`, without the scope of link-local addresses: interface
    /// numbers do not last.
    package var endpoints: [Endpoint]
    /// Wall clock, seconds since 1970.
    package var lastSeenUnixSeconds: Int64

    package init(node: NodeID, name: SafeText, endpoints: [Endpoint], lastSeenUnixSeconds: Int64) {
        self.node = node
        self.name = name
        self.endpoints = endpoints
        self.lastSeenUnixSeconds = lastSeenUnixSeconds
    }
}

/// What this listener chose for one peer.
package struct PeerPreference: Hashable, Sendable {
    /// Whose voice it is.
    package var node: NodeID
    /// How much louder than it comes, in dB.
    package var gainDecibels: Double
    /// It is linked, and not heard.
    package var isMuted: Bool
    /// It is not linked.
    package var isBlocked: Bool
    /// Where it stands, -100 left … 100 right; nil where nobody chose.
    package var pan: Int?
    /// Others step back while it speaks.
    package var hasPriority: Bool

    package init(
        node: NodeID, gainDecibels: Double, isMuted: Bool, isBlocked: Bool, pan: Int? = nil, hasPriority: Bool = false
    ) {
        self.node = node
        self.gainDecibels = gainDecibels
        self.isMuted = isMuted
        self.isBlocked = isBlocked
        self.pan = pan
        self.hasPriority = hasPriority
    }
}
