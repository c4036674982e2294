package import Primitives

/// What the database has kept from earlier starts.
package struct Remembered: Hashable, Sendable {
    /// Peers to dial, the last seen first. They are hints, and do not enter the roster.
    package var peers: [KnownPeer] = []
    /// What the user chose for single peers.
    package var preferences: [PeerPreference] = []
    /// The keys that this node has met, or about which its person has decided.
    package var knownKeys: [KnownKey] = []
    /// The entries of the channel directory.
    package var channelEntries: [RememberedEntry] = []
    /// The channels that the user does not want to see.
    package var hiddenChannels: [ChannelID] = []
    /// The codes of channels that this node had.
    package var channelCodes: [RememberedCode] = []
    /// The channels that this node had joined last, in the order in which it joined them.
    package var joinedChannels: [RememberedChannel] = []
    /// How this node introduced itself last, as far as a person chose it while the node ran: words by field.
    package var profile: [String: String] = [:]
    /// The port on which this node listened last.
    package var port: UInt16?
    /// The devices that a person chose, as the person wrote them; nil if none was chosen.
    package var input: String?
    package var output: String?

    package init() {}
}

/// An entry of the channel directory, as the directory wants it kept.
package struct RememberedEntry: Hashable, Sendable {
    package var channel: ChannelID
    package var bytes: [UInt8]

    package init(channel: ChannelID, bytes: [UInt8]) {
        self.channel = channel
        self.bytes = bytes
    }
}

/// A peer to which there was a link once, and its addresses.
package struct KnownPeer: Hashable, Sendable {
    package var node: NodeID
    /// Its latest display name.
    package var name: SafeText
    /// At most `StateLimits.endpointsPerPeerMax`. Link-local addresses are kept without their scope, since the numbers
    /// of interfaces change.
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

/// The user's settings for one peer.
package struct PeerPreference: Hashable, Sendable {
    package var node: NodeID
    /// Volume of the peer's voice, in dB; 0 leaves it unchanged.
    package var gainDecibels: Double
    /// The peer is not heard, but has a link.
    package var isMuted: Bool
    /// The peer gets no link.
    package var isBlocked: Bool
    /// -100 left … 100 right; nil if the user has not chosen one.
    package var pan: Int?
    /// Other talkers are lowered while the peer speaks.
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
