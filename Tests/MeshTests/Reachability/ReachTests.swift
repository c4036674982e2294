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
