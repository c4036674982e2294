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

/// Text forms: dotted decimal for IPv4, RFC 5952 for IPv6, `[v6]:port` for endpoints.
extension IPAddress: CustomStringConvertible {
    public var description: String {
        if let v4 {
            return [24, 16, 8, 0].map { String(v4 >> UInt32($0) & 255) }.joined(separator: ".")
        }
        let groups = IPAddress.groups(high) + IPAddress.groups(low)
        guard let gap = IPAddress.longestZeroRun(groups) else {
            return groups.map { String($0, radix: 16) }.joined(separator: ":")
        }
        let before = groups[..<gap.lowerBound].map { String($0, radix: 16) }.joined(separator: ":")
        let after = groups[gap.upperBound...].map { String($0, radix: 16) }.joined(separator: ":")
        return "\(before)::\(after)"
    }

    /// Parses an address of either family; nil if the text is not one. A scope or a prefix length is not accepted.
    package init?(_ text: some StringProtocol) {
        if let v4 = IPAddress.parsedV4(text) {
            self.init(v4: v4)
            return
        }
        let halves = text.split(separator: "::", maxSplits: 2, omittingEmptySubsequences: false)
        guard halves.count <= 2, let head = IPAddress.parsedGroups(halves[0], isLast: halves.count == 1)
        else { return nil }
        var groups = head
        if halves.count == 2 {
            guard let tail = IPAddress.parsedGroups(halves[1], isLast: true), head.count + tail.count < 8
            else { return nil }
            groups += Array(repeating: 0, count: 8 - head.count - tail.count) + tail
        }
        guard groups.count == 8 else { return nil }
        func word(_ part: ArraySlice<UInt16>) -> UInt64 { part.reduce(0) { $0 << 16 | UInt64($1) } }
        self.init(high: word(groups[..<4]), low: word(groups[4...]))
    }

    private static func groups(_ word: UInt64) -> [UInt16] {
        [48, 32, 16, 0].map { UInt16(truncatingIfNeeded: word >> UInt64($0)) }
    }

    private static func longestZeroRun(_ groups: [UInt16]) -> Range<Int>? {
        var best: Range<Int>?
        var start: Int?
        for index in 0...groups.count {
            if index < groups.count, groups[index] == 0 {
                start = start ?? index
            } else if let first = start {
                if max(1, best?.count ?? 0) < index - first { best = first..<index }
                start = nil
            }
        }
        return best
    }

    private static func parsedV4(_ text: some StringProtocol) -> UInt32? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var number: UInt32 = 0
        for part in parts {
            // Some parsers read a number with a leading zero as octal, others as decimal (RFC 6943 §3.1.1).
            guard part == "0" || !part.hasPrefix("0"), let byte = decimal(part).flatMap(UInt8.init(exactly:))
            else { return nil }
            number = number << 8 | UInt32(byte)
        }
        return number
    }

    /// Parses decimal digits alone. The standard library would also accept a sign.
    fileprivate static func decimal(_ text: some StringProtocol) -> UInt16? {
        guard text.utf8.count <= 5, text.utf8.allSatisfy({ 48 <= $0 && $0 <= 57 }) else { return nil }
        return UInt16(text)
    }

    /// Parses groups of hexadecimal digits.
    /// - Parameter isLast: whether the text is the end of the address, which may be in dotted decimal.
    private static func parsedGroups(_ text: some StringProtocol, isLast: Bool) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        var groups: [UInt16] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if isLast, index == parts.count - 1, let v4 = parsedV4(part) {
                groups += [UInt16(v4 >> 16), UInt16(truncatingIfNeeded: v4)]
                continue
            }
            guard !part.isEmpty, part.utf8.count <= 4, part.first != "+", part.first != "-",
                let group = UInt16(part, radix: 16)
            else { return nil }
            groups.append(group)
        }
        return groups
    }
}

extension Endpoint: CustomStringConvertible {
    public var description: String {
        address.v4 != nil ? "\(address):\(port)" : "[\(address)]:\(port)"
    }

    /// Parses `192.0.2.1:7400`, `[2001:db8::1]:7400`, or an address without port, which gets `defaultPort`. Nil if the
    /// text is none of these, or has no port and there is no default.
    package init?(_ text: String, defaultPort: UInt16? = nil) {
        let host: Substring
        var port = defaultPort
        if text.hasPrefix("[") {
            guard let close = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<close]
            let rest = text[text.index(after: close)...]
            if !rest.isEmpty {
                guard rest.hasPrefix(":"), let number = IPAddress.decimal(rest.dropFirst()) else { return nil }
                port = number
            }
        } else if text.filter({ $0 == ":" }).count == 1, let colon = text.firstIndex(of: ":") {
            host = text[..<colon]
            guard let number = IPAddress.decimal(text[text.index(after: colon)...]) else { return nil }
            port = number
        } else {
            host = text[...]
        }
        guard let address = IPAddress(host), let port, 0 < port else { return nil }
        self.init(address: address, port: port)
    }
}
