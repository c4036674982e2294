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

    @Test("an address at which another node answered is not dialled for a minute")
    func wrong() {
        var book = AddressBook()
        let endpoint = Endpoint(address: IPAddress(v4: 10, 0, 0, 9), port: 7400)
        book.add(endpoint, source: .avahi)
        book.markWrong(endpoint, now: .zero)
        func order(_ now: Instant) -> [Endpoint] {
            DialSequence(interfaces: [wired], reachable: [], ownPort: 7400, now: now).endpoints(of: book)
        }
        #expect(order(.zero + MeshLimits.wrongAddressRetry - .milliseconds(1)).isEmpty)
        #expect(order(.zero + MeshLimits.wrongAddressRetry) == [endpoint])
    }

    @Test("addresses in the record go first, then the newest: a roaming peer is probably where it was last")
    func roaming() {
        func at(_ host: UInt8) -> Endpoint { Endpoint(address: IPAddress(v4: 10, 0, 0, host), port: 7400) }
        var book = AddressBook()
        for host: UInt8 in 3...6 { book.add(at(host), source: .avahi) }
        book.replaceGossiped(with: [at(9), at(8)])
        let order = DialSequence(interfaces: [wired], reachable: [], ownPort: 7400, now: .zero)
        #expect(order.endpoints(of: book) == [9, 8, 6, 5, 4, 3].map(at))
        // A full book removes the oldest address, and never one that has just been named.
        for host: UInt8 in 20...60 { book.add(at(host), source: .avahi) }
        #expect(book.entries.count == MeshLimits.addressesPerPeerMax)
        #expect(Array(order.endpoints(of: book).prefix(3)) == [9, 8, 60].map(at))
        #expect(book.lasting == [9, 8].map(at))
        book.markGood(at(60), source: .remembered, now: .zero)
        #expect(Set(book.lasting) == Set([9, 8, 60].map(at)))
    }
}
