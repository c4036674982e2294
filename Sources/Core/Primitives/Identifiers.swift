/// The number of a start of a node: a 48-bit counter, which is written to disk durably before the first packet.
///
/// A node's messages are accepted only from its highest instance. The wire has 48 bits for it, so nobody can claim the
/// largest 64-bit number, above which the node itself could never start again.
public struct Instance: Hashable, Comparable, Sendable, CustomStringConvertible {
    public static let max = Instance(fitting: 0xFFFF_FFFF_FFFF)

    public let number: UInt64

    private init(fitting number: UInt64) { self.number = number }

    /// Nil if `number` does not fit into 48 bits.
    public init?(exactly number: UInt64) {
        guard number <= 0xFFFF_FFFF_FFFF else { return nil }
        self.number = number
    }

    public static func < (a: Instance, b: Instance) -> Bool { a.number < b.number }
    public var description: String { String(number) }
}

/// Random number of one boot. It distinguishes two boots that have the same instance because the state folder was
/// copied.
public struct BootNonce: Hashable, Sendable {
    public let number: UInt64
    public init(number: UInt64) { self.number = number }
}

/// Identifier of a session of two nodes: their instances, and the number of the leader's attempt.
public struct LinkID: Hashable, Sendable, CustomStringConvertible {
    public let leaderInstance: Instance
    public let followerInstance: Instance
    public let attempt: UInt32

    public init(leaderInstance: Instance, followerInstance: Instance, attempt: UInt32) {
        self.leaderInstance = leaderInstance
        self.followerInstance = followerInstance
        self.attempt = attempt
    }

    public var description: String { "\(leaderInstance)/\(followerInstance)#\(attempt)" }
}

/// Number of a carrier, given by the shell; not used again within a run.
public struct CarrierID: Hashable, Comparable, Sendable {
    public let number: UInt64
    public init(number: UInt64) { self.number = number }
    public static func < (a: CarrierID, b: CarrierID) -> Bool { a.number < b.number }
}

/// Number of a dial, given by Core.
public struct DialID: Hashable, Comparable, Sendable {
    public let number: UInt64
    public init(number: UInt64) { self.number = number }
    public static func < (a: DialID, b: DialID) -> Bool { a.number < b.number }
}

/// Number of this node's end of a tunnel, given by Core; not used again within a run.
package struct TunnelID: Hashable, Comparable, Sendable {
    package let number: UInt64
    package init(number: UInt64) { self.number = number }
    package static func < (a: TunnelID, b: TunnelID) -> Bool { a.number < b.number }
}

/// A peer's index in every table of this node, 0 ..< `MeshScale.peersMax`; given to another peer after this one has
/// gone.
public struct PeerSlot: Hashable, Comparable, Sendable {
    public let index: Int
    public init(index: Int) {
        precondition(0 <= index && index < MeshScale.peersMax, "slot \(index) of \(MeshScale.peersMax)")
        self.index = index
    }
    public static func < (a: PeerSlot, b: PeerSlot) -> Bool { a.index < b.index }
}

/// Identifier of a channel, derived from the names of mesh and channel (module Channels).
public struct ChannelID: Hashable, Comparable, Sendable {
    public let high: UInt64
    public let low: UInt64
    /// Whether the channel has a code. The id of such a channel is sent to no other node. To a neighbour that has
    /// proved the code, this node names the channel by a tag. So no id from the network is equal to the id of such a
    /// channel.
    public let hasCode: Bool

    public init(high: UInt64, low: UInt64, hasCode: Bool = false) {
        self.high = high
        self.low = low
        self.hasCode = hasCode
    }

    public static func < (a: ChannelID, b: ChannelID) -> Bool {
        (a.high, a.low, a.hasCode ? 1 : 0) < (b.high, b.low, b.hasCode ? 1 : 0)
    }
}

extension ChannelID {
    /// Bytes of an id: `high`, then `low`, both big-endian.
    public static let byteCount = 16

    public var bytes: [UInt8] {
        withUnsafeBytes(of: high.bigEndian) { Array($0) } + withUnsafeBytes(of: low.bigEndian) { Array($0) }
    }

    /// Nil unless `bytes` are exactly 16.
    public init?(bytes: [UInt8], hasCode: Bool = false) {
        guard bytes.count == ChannelID.byteCount else { return nil }
        func word(_ part: ArraySlice<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(high: word(bytes[..<8]), low: word(bytes[8...]), hasCode: hasCode)
    }
}

/// Identifier of a mesh, 16 bytes as two big-endian words. That of an open mesh is derived from its name (module
/// Channels).
public struct MeshID: Hashable, Sendable {
    public let high: UInt64
    public let low: UInt64
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// The tags by which two nodes name a channel with a code to each other: nobody else can know them.
package struct ChannelTags: Hashable, Sendable {
    package let channel: ChannelID
    /// The tag of the newest proof.
    package let newest: ChannelID
    /// The tags of the proofs before it, newest first. The peer may still use each of them.
    package let older: [ChannelID]
    /// Whether the peer is known to have the newest tag. Until then this node uses an older tag, if there is one.
    package let isNewestHeld: Bool

    package init(_ channel: ChannelID, newest: ChannelID, older: [ChannelID], isNewestHeld: Bool) {
        self.channel = channel
        self.newest = newest
        self.older = older
        self.isNewestHeld = isNewestHeld
    }
}
