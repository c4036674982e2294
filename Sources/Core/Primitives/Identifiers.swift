/// Which start of a node this is: a 48-bit counter, written durably before the first packet.
///
/// 48 bits on the wire, so the largest 64-bit number, which would lock a node out for good,
/// cannot be written down at all (docs/decisions, "ghosts").
public struct Instance: Hashable, Comparable, Sendable, CustomStringConvertible {
    public static let max = Instance(fitting: 0xFFFF_FFFF_FFFF)

    public let number: UInt64

    private init(fitting number: UInt64) { self.number = number }

    /// Nil where `number` does not fit into 48 bits.
    public init?(exactly number: UInt64) {
        guard number <= 0xFFFF_FFFF_FFFF else { return nil }
        self.number = number
    }

    public static func < (a: Instance, b: Instance) -> Bool { a.number < b.number }
    public var description: String { String(number) }
}

/// Random number of one boot; tells two boots with the same instance apart (a copied state file).
public struct BootNonce: Hashable, Sendable {
    public let number: UInt64
    public init(number: UInt64) { self.number = number }
}

/// Names one agreement between a pair: which boots, and which attempt of the leader's.
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

/// A connection of the carrier, numbered by the shell; never used again within a run.
public struct CarrierID: Hashable, Comparable, Sendable {
    public let number: UInt64
    public init(number: UInt64) { self.number = number }
    public static func < (a: CarrierID, b: CarrierID) -> Bool { a.number < b.number }
}

/// A dial under way, numbered by Core.
public struct DialID: Hashable, Comparable, Sendable {
    public let number: UInt64
    public init(number: UInt64) { self.number = number }
    public static func < (a: DialID, b: DialID) -> Bool { a.number < b.number }
}

/// An end of a tunnel at this node, numbered by Core; never used again within a run.
package struct TunnelID: Hashable, Comparable, Sendable {
    package let number: UInt64
    package init(number: UInt64) { self.number = number }
    package static func < (a: TunnelID, b: TunnelID) -> Bool { a.number < b.number }
}

/// A peer's place in every table of this node, 0 ..< `peersMax`; reused after a peer has gone.
public struct PeerSlot: Hashable, Comparable, Sendable {
    public let index: Int
    public init(index: Int) {
        precondition(0 <= index && index < MeshScale.peersMax, "slot \(index) of \(MeshScale.peersMax)")
        self.index = index
    }
    public static func < (a: PeerSlot, b: PeerSlot) -> Bool { a.index < b.index }
}

/// A channel: the first 16 bytes of SHA-256 over mesh and folded name (module Channels).
public struct ChannelID: Hashable, Comparable, Sendable {
    public let high: UInt64
    public let low: UInt64
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
    public static func < (a: ChannelID, b: ChannelID) -> Bool { (a.high, a.low) < (b.high, b.low) }
}
