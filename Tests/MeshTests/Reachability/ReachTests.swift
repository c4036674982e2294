import Mesh
import Primitives
import Testing
import Wire

@Suite("Reach")
struct ReachTests {
    private static let far = IPAddress(v4: 10, 9, 9, 9)

    private func isRefused(_ subject: NodeUnderTest, _ carrier: UInt64) -> Bool {
        subject.messages(on: carrier).contains { if case .refuse(.offLink, _) = $0 { true } else { false } }
    }

    @Test("a connection from outside the own networks gets a reason, is closed and counted, and makes no peer known")
    func beyond() {
        let subject = NodeUnderTest()
        subject.open(1, by: 100, from: Self.far)
        #expect(isRefused(subject, 1))
        subject.pass(.seconds(1))
        #expect(subject.isClosed(1))
        #expect(subject.counter(.carriersOffLink) == 1)
        #expect(subject.peersKnown == 0)
    }

    @Test(
        "a node accepts connections from every network in which it may dial",
        arguments: [
            (IPAddress(v4: 10, 0, 0, 200), [], []),
            (IPAddress(v4: 127, 0, 0, 1), [], []),
            (IPAddress(v4: 169, 254, 7, 7), [], []),
            (ReachTests.far, [AddressPrefix(address: IPAddress(v4: 10, 9, 0, 0), length: 16)], []),
            (ReachTests.far, [], [Endpoint(address: ReachTests.far, port: 7400)]),
        ] as [(IPAddress, [AddressPrefix], [Endpoint])])
    func within(source: IPAddress, prefixes: [AddressPrefix], given: [Endpoint]) {
        let subject = NodeUnderTest(staticPeers: given, reachablePrefixes: prefixes)
        subject.open(1, by: 100, from: source)
        #expect(!isRefused(subject, 1))
        #expect(subject.counter(.carriersOffLink) == 0)
    }

    @Test("a given prefix covers no address beyond its length")
    func length() {
        let subject = NodeUnderTest(reachablePrefixes: [AddressPrefix(address: IPAddress(v4: 10, 9, 0, 0), length: 24)])
        subject.open(1, by: 100, from: Self.far)
        #expect(isRefused(subject, 1))
    }
}

@Suite("Dial order")
struct DialOrderTests {
    private let wired = InterfaceAddress(
        interfaceIndex: 2, prefix: AddressPrefix(address: IPAddress(v4: 10, 0, 0, 1), length: 24), medium: .wired,
        isAdvertised: true)
    private let wireless = InterfaceAddress(
        interfaceIndex: 3, prefix: AddressPrefix(address: IPAddress(v4: 192, 168, 1, 1), length: 24),
        medium: .wireless, isAdvertised: true)

    private func v6(_ interface: UInt32, _ text: String) throws -> InterfaceAddress {
        InterfaceAddress(
            interfaceIndex: interface, prefix: AddressPrefix(address: try #require(IPAddress(text)), length: 64),
            medium: .wired, isAdvertised: true)
    }

    private func order(
        _ endpoints: [String], source: PeerHint.Source = .gossip, interfaces: [InterfaceAddress],
        reachable: [AddressPrefix] = [], good: String? = nil
    ) throws -> [String] {
        var book = AddressBook()
        let all = try endpoints.map { Endpoint(address: try #require(IPAddress($0)), port: 7400) }
        if source == .gossip { book.replaceGossiped(with: all) }
        for endpoint in all { book.add(endpoint, source: source) }
        if let good {
            book.markGood(Endpoint(address: try #require(IPAddress(good)), port: 7400), source: source, now: .zero)
        }
        return DialOrder(interfaces: interfaces, reachable: reachable, ownPort: 7400, now: .zero)
            .endpoints(of: book).map { $0.scope == 0 ? "\($0.address)" : "\($0.address)%\($0.scope)" }
    }

    @Test("an address at which another node answered is not dialled for a minute")
    func wrong() {
        var book = AddressBook()
        let endpoint = Endpoint(address: IPAddress(v4: 10, 0, 0, 9), port: 7400)
        book.add(endpoint, source: .avahi)
        book.markWrong(endpoint, now: .zero)
        func order(_ now: Instant) -> [Endpoint] {
            DialOrder(interfaces: [wired], reachable: [], ownPort: 7400, now: now).endpoints(of: book)
        }
        #expect(order(.zero + MeshLimits.wrongAddressRetry - .milliseconds(1)).isEmpty)
        #expect(order(.zero + MeshLimits.wrongAddressRetry) == [endpoint])
    }

    @Test("the last good address goes first, then wired, then Wi-Fi")
    func ranks() throws {
        #expect(
            try order(["192.168.1.9", "10.0.0.9", "192.168.1.8"], interfaces: [wired, wireless], good: "192.168.1.8")
                == ["192.168.1.8", "10.0.0.9", "192.168.1.9"])
    }

    @Test("IPv6 and IPv4 take turns")
    func interleaved() throws {
        #expect(
            try order(
                ["10.0.0.8", "10.0.0.9", "fd00::8", "fd00::9"], interfaces: [wired, v6(2, "fd00::1")])
                == ["fd00::8", "10.0.0.8", "fd00::9", "10.0.0.9"])
    }

    @Test("a link-local address is tried on each interface with one")
    func linkLocal() throws {
        #expect(
            try order(["fe80::9"], interfaces: [v6(2, "fe80::1"), v6(5, "fe80::2"), wired]) == [
                "fe80::9%2", "fe80::9%5",
            ])
    }

    @Test("addresses outside the own networks are dialled only if the user allows it")
    func offLink() throws {
        #expect(try order(["172.16.0.9"], interfaces: [wired]) == [])
        #expect(try order(["172.16.0.9"], source: .user, interfaces: [wired]) == ["172.16.0.9"])
        let prefix = AddressPrefix(address: IPAddress(v4: 172, 16, 0, 0), length: 16)
        #expect(try order(["172.16.0.9"], interfaces: [wired], reachable: [prefix]) == ["172.16.0.9"])
    }

    @Test("addresses in the record go first, then the newest: a roaming peer is probably where it was last")
    func roaming() {
        func at(_ host: UInt8) -> Endpoint { Endpoint(address: IPAddress(v4: 10, 0, 0, host), port: 7400) }
        var book = AddressBook()
        for host: UInt8 in 3...6 { book.add(at(host), source: .avahi) }
        book.replaceGossiped(with: [at(9), at(8)])
        let order = DialOrder(interfaces: [wired], reachable: [], ownPort: 7400, now: .zero)
        #expect(order.endpoints(of: book) == [9, 8, 6, 5, 4, 3].map(at))
        // A full book removes the oldest address, and never one that has just been named.
        for host: UInt8 in 20...60 { book.add(at(host), source: .avahi) }
        #expect(book.entries.count == MeshLimits.addressesPerPeerMax)
        #expect(Array(order.endpoints(of: book).prefix(3)) == [9, 8, 60].map(at))
        #expect(book.lasting == [9, 8].map(at))
        book.markGood(at(60), source: .remembered, now: .zero)
        #expect(Set(book.lasting) == Set([9, 8, 60].map(at)))
    }

    @Test("the own address, multicast, unspecified and another host's loopback are never dialled")
    func never() throws {
        #expect(try order(["10.0.0.1", "239.255.0.1", "0.0.0.0", "127.0.0.1", "::1"], interfaces: [wired]) == [])
    }

    @Test("loopback is dialled if this node advertises loopback")
    func loopback() throws {
        let lo = InterfaceAddress(
            interfaceIndex: 1, prefix: AddressPrefix(address: IPAddress(v4: 127, 0, 0, 1), length: 8),
            medium: .loopback, isAdvertised: true)
        #expect(try order(["127.0.0.2"], interfaces: [lo]) == ["127.0.0.2"])
    }
}
