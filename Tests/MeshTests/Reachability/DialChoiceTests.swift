import Mesh
import Primitives
import Testing

@Suite("The choice and order of dialled addresses")
struct DialChoiceTests {
    private static func interface(
        _ index: UInt32, _ text: String, _ length: Int, _ medium: InterfaceAddress.Medium = .wired,
        isAdvertised: Bool = true
    ) throws -> InterfaceAddress {
        InterfaceAddress(
            interfaceIndex: index, prefix: AddressPrefix(address: try #require(IPAddress(text)), length: length),
            medium: medium, isAdvertised: isAdvertised)
    }

    private static func endpoint(_ text: String, port: UInt16 = 7400, scope: UInt32 = 0) throws -> Endpoint {
        Endpoint(address: try #require(IPAddress(text)), port: port, scope: scope)
    }

    /// - Parameter known: the addresses in the order in which they were learned. If all else is equal, the last one is
    /// dialled first.
    private static func order(
        _ known: [Endpoint], by source: PeerHint.Source, good: Endpoint? = nil, on interfaces: [InterfaceAddress]
    ) -> [String] {
        var book = AddressBook()
        for endpoint in known { book.add(endpoint, source: source) }
        if let good { book.markGood(good, source: source, now: .zero) }
        return DialSequence(interfaces: interfaces, reachable: [], ownPort: 7400, now: .zero).endpoints(of: book).map {
            $0.scope == 0 ? "\($0.address)" : "\($0.address)%\($0.scope)"
        }
    }

    @Test("an address that answered, then wired, Wi-Fi, other, this host, and the rest of the world")
    func ranks() throws {
        let interfaces = try [
            Self.interface(1, "127.0.0.1", 8, .loopback), Self.interface(2, "10.0.0.1", 24),
            Self.interface(3, "10.0.1.1", 24, .wireless), Self.interface(4, "10.0.2.1", 24, .other),
        ]
        let best = ["172.16.0.8", "10.0.0.9", "10.0.1.9", "10.0.2.9", "127.0.0.9", "172.16.0.9"]
        let known = try best.map { try Self.endpoint($0) }
        #expect(Self.order(known, by: .user, good: known[0], on: interfaces) == best)
    }

    @Test("the two families take turns until the shorter list ends")
    func families() throws {
        let wired = try [Self.interface(2, "10.0.0.1", 24), Self.interface(2, "fd00::1", 64)]
        let (a, b, c) = ("10.0.0.7", "10.0.0.8", "10.0.0.9")
        func order(_ known: [String]) throws -> [String] {
            Self.order(try known.map { try Self.endpoint($0) }, by: .avahi, on: wired)
        }
        #expect(try order([c, b, a, "fd00::7"]) == ["fd00::7", a, b, c])
        #expect(try order([a, "fd00::9", "fd00::8", "fd00::7"]) == ["fd00::7", a, "fd00::8", "fd00::9"])
    }

    @Test("a link-local address without a scope is tried once on each IPv6 link, and one with a scope on that link")
    func linkLocal() throws {
        let interfaces = try [
            Self.interface(1, "::1", 128, .loopback), Self.interface(2, "fe80::1", 64),
            Self.interface(2, "fd00::1", 64), Self.interface(7, "10.0.0.1", 24),
            Self.interface(5, "fe80::2", 64, .other),
        ]
        #expect(
            Self.order([try Self.endpoint("fe80::9")], by: .avahi, on: interfaces) == ["fe80::9%2", "fe80::9%5"])
        #expect(Self.order([try Self.endpoint("fe80::9", scope: 5)], by: .avahi, on: interfaces) == ["fe80::9%5"])
        #expect(Self.order([try Self.endpoint("fd00::9")], by: .avahi, on: interfaces) == ["fd00::9"])
        #expect(Self.order([try Self.endpoint("169.254.3.3")], by: .avahi, on: interfaces) == ["169.254.3.3"])
    }

    @Test("a link-local address without a scope is tried on bridges only if this host has no other IPv6 link")
    func linkLocalOnBridge() throws {
        let bridge = try Self.interface(3, "fe80::2", 64, isAdvertised: false)
        let wire = try Self.interface(2, "fe80::1", 64)
        let told = try Self.endpoint("fe80::9")
        #expect(Self.order([told], by: .gossip, on: [bridge, wire]) == ["fe80::9%2"])
        #expect(Self.order([told], by: .gossip, on: [bridge]) == ["fe80::9%3"])
    }

    @Test("a link-local address has the rank of its interface")
    func linkLocalRank() throws {
        let interfaces = try [Self.interface(2, "fe80::1", 64), Self.interface(3, "fe80::2", 64, .wireless)]
        let (wire, wireless) = try (Self.endpoint("fe80::9", scope: 2), Self.endpoint("fe80::9", scope: 3))
        #expect(Self.order([wire, wireless], by: .beacon, on: interfaces) == ["fe80::9%2", "fe80::9%3"])
    }

    @Test("a link-local address on an interface that is gone is not dialled, though the peer answered there")
    func staleScope() throws {
        let interfaces = try [Self.interface(2, "fe80::1", 64)]
        let (stale, good) = try (Self.endpoint("fe80::9", scope: 9), Self.endpoint("fe80::9", scope: 2))
        #expect(Self.order([good, stale], by: .beacon, good: stale, on: interfaces) == ["fe80::9%2"])
        #expect(Self.order([stale], by: .user, on: interfaces) == ["fe80::9%9"])
    }

    @Test(
        "never dialled, even if the user gives it",
        arguments: [
            ("239.1.1.1", 7400), ("ff02::1", 7400), ("0.0.0.0", 7400), ("::", 7400), ("10.0.0.9", 0),
            ("10.0.0.1", 7400),
        ] as [(String, UInt16)])
    func never(_ address: String, _ port: UInt16) throws {
        let wired = try [Self.interface(2, "10.0.0.1", 24)]
        #expect(Self.order([try Self.endpoint(address, port: port)], by: .user, on: wired).isEmpty)
    }

    @Test("another port of an own address belongs to another node, and port 1 is an ordinary port")
    func ports() throws {
        let wired = try [Self.interface(2, "10.0.0.1", 24)]
        #expect(Self.order([try Self.endpoint("10.0.0.1", port: 7401)], by: .avahi, on: wired) == ["10.0.0.1"])
        #expect(Self.order([try Self.endpoint("10.0.0.9", port: 1)], by: .avahi, on: wired) == ["10.0.0.9"])
    }

    @Test("outside the own networks only addresses from the user are dialled", arguments: PeerHint.Source.allCases)
    func offLink(_ source: PeerHint.Source) throws {
        let far = try Self.endpoint("172.16.0.9")
        let order = Self.order([far], by: source, on: [try Self.interface(2, "10.0.0.1", 24)])
        #expect(order == (source == .user ? ["172.16.0.9"] : []))
    }

    @Test(
        "loopback is dialled if this node advertises it or has nothing else, if a peer answered there, or for the user")
    func loopback() throws {
        let alone = try [Self.interface(1, "127.0.0.1", 8, .loopback, isAdvertised: false)]
        let (near, other) = try (Self.endpoint("127.0.0.2"), [Self.interface(2, "10.0.0.1", 24, .other)])
        let hidden = alone + other
        #expect(Self.order([near], by: .avahi, on: alone) == ["127.0.0.2"])
        #expect(Self.order([near], by: .avahi, on: hidden) == [])
        #expect(Self.order([near], by: .avahi, on: other) == [])
        #expect(Self.order([near], by: .avahi, good: near, on: hidden) == ["127.0.0.2"])
        #expect(Self.order([near], by: .user, on: hidden) == ["127.0.0.2"])
        #expect(Self.order([near], by: .avahi, on: try [Self.interface(1, "127.0.0.1", 8, .loopback)]) == ["127.0.0.2"])
    }

    @Test("an address outside the own networks is dialled once in thirty seconds, and one inside whenever it is due")
    func seldom() throws {
        let (far, near) = try (Self.endpoint("172.16.0.9"), Self.endpoint("10.0.0.9"))
        let prefix = AddressPrefix(address: try #require(IPAddress("172.16.0.0")), length: 16)
        let wired = try [Self.interface(2, "10.0.0.1", 24)]
        var book = AddressBook()
        for endpoint in [far, near] { book.add(endpoint, source: .avahi) }
        func order(after wait: Interval) -> [Endpoint] {
            DialSequence(interfaces: wired, reachable: [prefix], ownPort: 7400, now: .zero + wait).endpoints(of: book)
        }
        #expect(order(after: .zero) == [near, far])
        for endpoint in [far, near] { book.markDialled(endpoint, now: .zero) }
        #expect(order(after: .seconds(30) - Interval(nanoseconds: 1)) == [near])
        #expect(order(after: .seconds(30)) == [near, far])
    }
}
