/// An IPv4 or IPv6 address in 16 bytes; an IPv4 address is stored as an IPv4-mapped one (RFC 4291 §2.5.5.2).
public struct IPAddress: Hashable, Comparable, Sendable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    public init(v4 number: UInt32) { self.init(high: 0, low: 0xFFFF_0000_0000 | UInt64(number)) }
    public init(v4 a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8) {
        self.init(v4: UInt32(a) << 24 | UInt32(b) << 16 | UInt32(c) << 8 | UInt32(d))
    }

    /// The IPv4 number, or nil for IPv6.
    public var v4: UInt32? { high == 0 && low >> 32 == 0xFFFF ? UInt32(truncatingIfNeeded: low) : nil }
    public var isLoopback: Bool { v4.map { $0 >> 24 == 127 } ?? (high == 0 && low == 1) }
    /// fe80::/10 or 169.254.0.0/16.
    public var isLinkLocal: Bool { v4.map { $0 >> 16 == 0xA9FE } ?? (high >> 54 == 0x3FA) }
    public var isMulticast: Bool { v4.map { $0 >> 28 == 0xE } ?? (high >> 56 == 0xFF) }
    public var isUnspecified: Bool { v4.map { $0 == 0 } ?? (high == 0 && low == 0) }

    /// Returns whether both addresses are of one family and their first `length` bits are equal. `length` is at most 32
    /// for IPv4, and at most 128 for IPv6.
    public func hasPrefix(of other: IPAddress, length: Int) -> Bool {
        guard (v4 == nil) == (other.v4 == nil) else { return false }
        let bits = v4 == nil ? length : 96 + length
        let highMask: UInt64 = bits <= 0 ? 0 : bits >= 64 ? .max : ~(.max >> UInt64(bits))
        let lowMask: UInt64 = bits <= 64 ? 0 : bits >= 128 ? .max : ~(.max >> UInt64(bits - 64))
        return high & highMask == other.high & highMask && low & lowMask == other.low & lowMask
    }

    public static func < (a: IPAddress, b: IPAddress) -> Bool { (a.high, a.low) < (b.high, b.low) }
}

/// Address and port at which a node is reached; for link-local IPv6 also the interface of this host.
public struct Endpoint: Hashable, Comparable, Sendable {
    public var address: IPAddress
    public var port: UInt16
    /// Index of the interface, valid on this host only; 0 unless the address is link-local IPv6.
    public var scope: UInt32

    public init(address: IPAddress, port: UInt16, scope: UInt32 = 0) {
        self.address = address
        self.port = port
        self.scope = scope
    }

    public static func < (a: Endpoint, b: Endpoint) -> Bool {
        (a.address, a.port, a.scope) < (b.address, b.port, b.scope)
    }
}
