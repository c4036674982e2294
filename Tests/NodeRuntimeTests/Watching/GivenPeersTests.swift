import Mesh
import NodeRuntime
import Primitives
import Synchronization
import Testing
import Wire

@Suite("addresses of --peer without an answer or with a refusal", .serialized, .timeLimit(.minutes(1)))
struct GivenPeersTests {
    private static func endpoint(_ number: UInt8) -> Endpoint {
        Endpoint(address: IPAddress(v4: 192, 0, 2, number), port: 7_400)
    }
    private static let given = [UInt8(1), 2, 3].map(endpoint)
    private static let addresses = given.map { GivenAddress($0) }
    private static let peer = NodeID(words: (7, 0, 0, 1))

    private func dial(_ number: UInt64) -> DialID { DialID(number: number) }
    private func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

    private func isSilent(after failure: DialFailure) -> Bool {
        var peers = GivenPeers(Self.addresses)
        peers.began(dial(1), to: Self.given[0], expecting: nil)
        peers.failed(dial(1), failure)
        return !peers.silent(among: []).isEmpty
    }

    /// One dial to each given address has got no answer.
    private func allSilent() -> GivenPeers {
        var peers = GivenPeers(Self.addresses)
        for (index, endpoint) in Self.given.enumerated() {
            peers.began(dial(UInt64(index)), to: endpoint, expecting: nil)
            peers.cancelled(dial(UInt64(index)))
        }
        return peers
    }

    @Test("an address is silent from its first failure on until a node answers there once")
    func course() {
        var peers = GivenPeers(Self.addresses)
        peers.began(dial(1), to: Self.given[1], expecting: nil)
        peers.began(dial(2), to: Self.given[0], expecting: nil)
        #expect(peers.silent(among: []).isEmpty, "nothing is known yet")
        peers.failed(dial(1), .refused)
        peers.cancelled(dial(2))
        let silent = peers.silent(among: [])
        #expect(silent.map(\.address.endpoint) == Array(Self.given.prefix(2)))
        #expect(silent.map(\.failure) == [.timedOut, .refused])
        peers.began(dial(3), to: Self.given[0], expecting: nil)
        peers.opened(dial(3), to: Self.peer)
        peers.began(dial(4), to: Self.given[0], expecting: nil)
        peers.failed(dial(4), .refused)
        #expect(peers.silent(among: []).map(\.address.endpoint) == [Self.given[1]], "it was there once since the start")
    }

    @Test("dials to other addresses, and carriers that others open, do not count for a given address")
    func others() {
        var peers = GivenPeers(Self.addresses)
        peers.began(dial(1), to: Self.endpoint(9), expecting: nil)
        peers.began(dial(2), to: Self.given[0], expecting: Self.peer)
        for number: UInt64 in 1...3 { peers.failed(dial(number), .refused) }
        peers.opened(nil, to: Self.peer)
        #expect(peers.silent(among: []).isEmpty)
    }

    @Test("the address of the node itself, in a file for all machines, is not silent")
    func own() {
        #expect(!isSilent(after: .own) && !isSilent(after: .otherIdentity))
        let others = DialFailure.allCases.filter { $0 != .own && $0 != .otherIdentity }
        #expect(others.allSatisfy(isSilent))
    }

    @Test("the address of a linked peer is not silent, although it takes no connections")
    func linked() {
        let peers = allSilent()
        var (up, down) = (Self.status(.up), Self.status(.down))
        (up.endpoint, down.endpoint) = (Self.given[0], Self.given[1])
        #expect(peers.silent(among: [up, down]).map(\.address.endpoint) == Array(Self.given.dropFirst()))
    }

    @Test("people are told of the address of a linked peer if a dial fails there after that peer has gone")
    func linkedThenGone() {
        var peers = allSilent()
        var up = Self.status(.up)
        up.endpoint = Self.given[0]
        let whileLinked = peers.takeUntold(among: [up], now: at(20)).map(\.address.endpoint)
        let gone = peers.takeUntold(among: [], now: at(30))
        #expect(whileLinked == Array(Self.given.dropFirst()) && gone.isEmpty)
        peers.began(dial(100), to: Self.given[0], expecting: nil)
        peers.cancelled(dial(100))
        let afterwards = peers.takeUntold(among: [], now: at(40)).map(\.address.endpoint)
        let again = peers.takeUntold(among: [], now: at(50))
        #expect(afterwards == [Self.given[0]] && again.isEmpty)
    }

    private static func status(_ state: PeerStatus.State) -> PeerStatus {
        PeerStatus(node: peer, name: SafeText("SM"), state: state)
    }

    @Test("a link-local address whose interface is gone is silent again, and people are told")
    func interfaceGone() {
        #expect(toldInCourse(isInterfaceThere: false) == [[true], [], [true]])
        #expect(toldInCourse(isInterfaceThere: true) == [[false], [], []], "a node has answered, and may be away")
    }

    /// The address `[fe80::1%eth0]:7400`, whose interface had the index 7 at the start.
    private static let linkLocal = GivenAddress(
        Endpoint(address: IPAddress(high: 0xFE80 << 48, low: 1), port: 7_400, scope: 7), interface: "eth0")

    /// Dials a link-local address three times: only the second dial succeeds. Returns for each dial the addresses that
    /// people are told of after it: whether they lack their interface.
    private func toldInCourse(isInterfaceThere: Bool) -> [[Bool]] {
        let endpoint = Self.linkLocal.endpoint
        var peers = GivenPeers([Self.linkLocal], index: { _ in isInterfaceThere ? 9 : 0 })
        var told: [[Bool]] = []
        for number: UInt64 in 1...3 {
            peers.began(dial(number), to: endpoint, expecting: nil)
            if number == 2 {
                peers.opened(dial(number), to: Self.peer)
            } else {
                peers.failed(dial(number), .unreachable)
            }
            told.append(peers.takeUntold(among: [], now: at(20)).map(\.lacksInterface))
        }
        return told
    }

    @Test("a link-local address is dialled at the present index of its interface; other addresses stay as they are")
    func target() {
        let endpoint = Self.linkLocal.endpoint
        let present = Endpoint(address: endpoint.address, port: endpoint.port, scope: 9)
        func dialled(_ endpoint: Endpoint, index: UInt32) -> Endpoint {
            let peers = GivenPeers([Self.linkLocal] + Self.addresses, index: { $0 == "eth0" ? index : 3 })
            return peers.target(of: endpoint)
        }
        #expect(dialled(endpoint, index: 9) == present)
        #expect(dialled(endpoint, index: 0) == endpoint, "the interface is gone, and the dial fails")
        let other = Endpoint(address: endpoint.address, port: 7_401, scope: 7)
        #expect(dialled(other, index: 9) == other && dialled(Self.given[0], index: 9) == Self.given[0])
        #expect("\(Self.linkLocal)" == "[fe80::1%eth0]:7400" && "\(Self.addresses[0])" == "192.0.2.1:7400")
    }

    @Test("an address whose interface was gone and is back is no longer told as one without its interface")
    func interfaceBack() {
        let endpoint = Self.linkLocal.endpoint
        let index = Mutex<UInt32>(0)
        var peers = GivenPeers([Self.linkLocal], index: { _ in index.withLock { $0 } })
        func lacking(_ number: UInt64) -> [Bool] {
            peers.began(dial(number), to: endpoint, expecting: nil)
            peers.failed(dial(number), .unreachable)
            return peers.silent(among: []).map(\.lacksInterface)
        }
        let gone = lacking(1)
        index.withLock { $0 = 9 }
        let back = lacking(2)
        var up = Self.status(.up)
        up.endpoint = Endpoint(address: endpoint.address, port: endpoint.port, scope: 9)
        #expect(gone == [true] && back == [false])
        #expect(peers.silent(among: [up]).isEmpty, "the peer has dialled this node")
    }

    @Test("the loopback interface has an index, and an interface that is not there has none")
    func interfaces() {
        let name = String(repeating: "x", count: 15)
        #expect(GivenAddress.index(ofInterface: "lo") != 0 && GivenAddress.index(ofInterface: name) == 0)
    }

    @Test("people are told once of each silent address, ten seconds after the start")
    func told() {
        var peers = GivenPeers(Self.addresses, startedAt: at(5))
        peers.began(dial(1), to: Self.given[0], expecting: nil)
        peers.failed(dial(1), .unreachable)
        func tell(_ seconds: Int64) -> [Endpoint] {
            peers.takeUntold(among: [], now: at(seconds)).map(\.address.endpoint)
        }
        let early = tell(14)
        let first = tell(15)
        let again = tell(16)
        peers.began(dial(2), to: Self.given[2], expecting: nil)
        peers.failed(dial(2), .refused)
        let later = tell(17)
        #expect(early.isEmpty && first == [Self.given[0]] && again.isEmpty && later == [Self.given[2]])
        #expect(!peers.isDue(now: at(14)) && peers.isDue(now: at(15)))
    }

    /// The given addresses, of which the peer has answered at the second one.
    private func answered() -> GivenPeers {
        var peers = GivenPeers(Self.addresses, startedAt: at(5))
        peers.began(dial(1), to: Self.given[1], expecting: nil)
        peers.opened(dial(1), to: Self.peer)
        return peers
    }

    @Test("an address whose node refuses this one is named until the two are linked, and is not silent")
    func refused() {
        let peers = answered()
        var status = Self.status(.down)
        func refused() -> [String] { peers.refused { $0 == Self.peer ? status : nil }.map(\.sentence) }
        #expect(refused().isEmpty, "it has answered, and nothing is known yet")
        status.failure = .refused(.offLink)
        #expect(refused() == ["refused at --peer 192.0.2.2:7400: it takes connections from its own networks only"])
        #expect(peers.silent(among: [status]).isEmpty && peers.refused { _ in nil }.isEmpty)
        status.state = .up
        #expect(refused().isEmpty, "a refusal of a second connection")
        status.state = .connecting
        #expect(refused().count == 1, "while it is dialled again")
        status.failure = .dial(.timedOut)
        #expect(refused().isEmpty)
    }

    @Test(
        "a refusal that passes, or has a line of its own in the health, is not named",
        arguments: RefusalReason.allCases)
    func reasons(reason: RefusalReason) {
        var status = Self.status(.down)
        status.failure = .refused(reason)
        let others: [RefusalReason] = [
            .staleInstance, .duplicateIdentity, .undecided, .notAllowed, .coolingDown, .alreadyLinked,
        ]
        let refused = answered().refused { [status] _ in status }
        #expect(refused.map(\.reason) == (others.contains(reason) ? [] : [reason]))
    }

    @Test("people are told once of each refusal, ten seconds after the start")
    func toldRefusals() {
        var peers = answered()
        var status = Self.status(.down)
        status.failure = .refused(.otherMesh)
        func tell(_ seconds: Int64) -> [Endpoint] {
            peers.takeUntoldRefusals(now: at(seconds)) { _ in status }.map(\.address.endpoint)
        }
        let early = tell(14)
        let first = tell(15)
        let again = tell(16)
        #expect(early.isEmpty && first == [Self.given[1]] && again.isEmpty)
    }

    @Test("a whole node names an address at which nothing listens, and none at which a node has answered")
    func wholeNode() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null"])
        let address = try await NodeBench.onThread { try a.address() }
        // No node listens on port 1.
        let lost = try await bench.start("b", [.input: "null", .peer: "127.0.0.1:1"])
        let found = try await bench.start("c", [.input: "null", .peer: address])
        try await NodeBench.onThread {
            try lost.awaitStatus("the dial has failed") { _ in
                let silent = try? lost.ask(DiscoverRequest()).silent
                return silent?.map(\.sentence) == [
                    "no answer from --peer 127.0.0.1:1: nothing listens at its address"
                ]
            }
            try found.awaitStatus("linked") { $0.mesh.linksUp == 1 }
            #expect(try found.ask(DiscoverRequest()).silent == nil)
            for node in [a, lost, found] { try node.stop() }
        }
        for node in [a, lost, found] { try await node.ended() }
    }
}
