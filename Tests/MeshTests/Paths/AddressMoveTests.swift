import Mesh
import Primitives
import TestKit
import Testing
import Trust
import Wire

@Suite("Changes of the node's own addresses")
struct AddressMoveTests {
    private static let v6 = IPAddress(high: 0xFD00_0000_0000_0001, low: 1)
    private static let home = PuppetStage.interface(PuppetStage.home.address)
    private static let beside = PuppetStage.interface(IPAddress(v4: 10, 0, 0, 2))
    private static let away = PuppetStage.interface(IPAddress(v4: 10, 1, 0, 1))
    private static let six = PuppetStage.interface(v6, length: 64)
    private static let temporary = PuppetStage.interface(IPAddress(high: v6.high, low: 2), length: 64)
    private static let renewed = PuppetStage.interface(IPAddress(high: v6.high, low: 3), length: 64)
    private static let besideSix = IPAddress(high: v6.high, low: 9)
    private static let sevens = IPAddress(v4: 192, 168, 7, 7)

    private func dials(_ outputs: [MeshOutput]) -> [Endpoint] {
        outputs.compactMap { if case .dial(_, let endpoint, _) = $0 { endpoint } else { nil } }
    }

    @Test(
        "a failure counts if there is a network: any address that is advertised",
        arguments: [
            (InterfaceAddress.Medium.wired, true, 1), (.wired, false, 0), (.wireless, true, 1), (.other, true, 1),
            (.other, false, 0), (.loopback, true, 1), (.loopback, false, 0),
        ])
    func network(medium: InterfaceAddress.Medium, isAdvertised: Bool, failures: Int) throws {
        let stage = PuppetStage()
        let own = TransparentSealing(seed: 1).nodeID
        let follower = try #require((2...9 as ClosedRange<UInt64>).map(TestIdentity.nodeID(seed:)).first { $0 < own })
        let interface = PuppetStage.interface(PuppetStage.home.address, medium, isAdvertised: isAdvertised)
        stage.input(.addressesChanged([interface]))
        stage.input(.discovered(PeerHint(source: .avahi, node: follower, endpoints: [])))
        #expect(stage.node.peerSnapshot(of: follower, now: stage.now).link?.status.failures == failures)
        #expect(stage.node.peerSnapshot(of: follower, now: stage.now).link?.status.lastFailure == "no address")
    }

    @Test("without a network a failure counts only for a peer on this host", arguments: [true, false])
    func onThisHost(isHere: Bool) throws {
        let stage = PuppetStage()
        let own = TransparentSealing(seed: 1).nodeID
        let follower = try #require((2...9 as ClosedRange<UInt64>).map(TestIdentity.nodeID(seed:)).first { $0 < own })
        let loopback = IPAddress(v4: 127, 0, 0, 1)
        stage.input(.addressesChanged([PuppetStage.interface(loopback, .loopback, length: 8, isAdvertised: false)]))
        let place = Endpoint(address: isHere ? loopback : PuppetStage.home.address, port: 7_401)
        stage.input(.discovered(PeerHint(source: .beacon, node: follower, endpoints: [place])))
        let dial = stage.outputs.compactMap { if case .dial(let id, place, _) = $0.output { id } else { nil } }.first
        #expect((dial != nil) == isHere)
        if let dial { stage.input(.dialFailed(dial, .refused)) }
        #expect(stage.node.peerSnapshot(of: follower, now: stage.now).link?.status.failures == (isHere ? 1 : 0))
    }

    @Test("after a change the record names the new address, and a beacon follows within 100 ms")
    func reported() throws {
        let stage = PuppetStage { $0.beaconEnabled = true }
        stage.pass(.seconds(2))
        let announced = stage.outputs { stage.input(.addressesChanged([Self.home, Self.away])) }.compactMap {
            if case .announce(let record) = $0 { record } else { nil }
        }
        #expect(
            announced.map(\.endpoints) == [[PuppetStage.home, Endpoint(address: Self.away.prefix.address, port: 7400)]])
        let sent = stage.outputs { stage.pass(.milliseconds(100)) }
        #expect(sent.count { if case .sendBeacon = $0 { true } else { false } } == 1)
    }

    @Test("after a change the node probes each peer with keys over every path, and challenges its advertised addresses")
    func probed() {
        let stage = PuppetStage()
        let place = Endpoint(address: IPAddress(v4: 10, 0, 0, 71), port: 7400)
        let (awake, sleeper) = (stage.link(endpoints: [place]), stage.link())
        awake.answers = { _ in true }
        stage.pass(.seconds(3))
        #expect(awake.status?.state == .up && sleeper.status?.state == .down)
        awake.answers = { _ in false }
        for puppet in [awake, sleeper] { puppet.inbox.removeAll() }
        stage.input(.addressesChanged([Self.home, Self.away]))
        for puppet in [awake, sleeper] {
            let probes = puppet.blocks.filter { $0.block.flags == .probe }
            #expect(probes.map(\.route.endpoint) == [puppet.home, nil])
        }
        #expect(awake.inbox.compactMap { $0.body.pathChallenge == nil ? nil : $0.route.endpoint } == [place])
        #expect(awake.status?.hasCarrier == true && awake.status?.state == .up)
    }

    private static func places(count: UInt8) -> [Endpoint] {
        (0..<count).map { Endpoint(address: IPAddress(v4: 10, 0, 0, 71 + $0), port: 7400) }
    }

    /// The addresses of a peer that are challenged while it answers and an interface of this node comes and goes.
    private static func challenged(_ puppet: Puppet, on stage: PuppetStage, changes: Int) -> [Endpoint] {
        puppet.answers = { _ in true }
        for change in 0..<changes {
            stage.pass(.seconds(1))
            stage.input(.addressesChanged(change.isMultiple(of: 2) ? [home, away] : [home]))
        }
        return puppet.inbox.compactMap { $0.body.pathChallenge == nil ? nil : $0.route.endpoint }
    }

    @Test("each of seven advertised addresses is challenged in its turn, though a session has four direct paths")
    func turns() {
        let stage = PuppetStage()
        let places = Self.places(count: 7)
        let puppet = stage.link(endpoints: places)
        let asked = Self.challenged(puppet, on: stage, changes: 4)
        #expect(Array(asked.prefix(7)) == places && asked.count == 8 && puppet.status?.state == .up)
    }

    @Test("of three advertised addresses that do not answer each is challenged again, two in each turn")
    func turnsAgain() {
        let stage = PuppetStage()
        let places = Self.places(count: 3)
        let puppet = stage.link(endpoints: places)
        let asked = Self.challenged(puppet, on: stage, changes: 3)
        #expect(asked == places + places)
    }

    @Test(
        "a carrier whose own address is gone is given up, and its link wants a new one at once",
        arguments: [
            (IPAddress(v4: 10, 0, 0, 10), [home, away], [away], true),
            (IPAddress(v4: 10, 0, 0, 10), [home, away], [home], false),
            (IPAddress(v4: 10, 0, 0, 10), [home, beside], [beside], true),
            (sevens, [home, away], [home], true), (sevens, [home, six], [home], false),
            (sevens, [home], [home, away], false),
            (IPAddress(high: 0xFD00_0000_0000_0009, low: 7), [home, six], [home], true),
            (IPAddress(high: 0xFD00_0000_0000_0009, low: 7), [home, six], [six], false),
            (IPAddress(v4: 127, 0, 0, 1), [home, six], [], false),
            (besideSix, [six, temporary], [six], false), (besideSix, [six, temporary], [six, renewed], false),
            (besideSix, [six, temporary], [renewed], true),
        ] as [(IPAddress, [InterfaceAddress], [InterfaceAddress], Bool)])
    func stranded(remote: IPAddress, former: [InterfaceAddress], present: [InterfaceAddress], isGone: Bool) {
        let stage = PuppetStage {
            $0.interfaces = former
            $0.reachablePrefixes = [
                AddressPrefix(address: IPAddress(v4: 192, 168, 7, 0), length: 24),
                AddressPrefix(address: IPAddress(high: 0xFD00_0000_0000_0009, low: 0), length: 64),
            ]
        }
        let puppet = stage.link(remote: remote)
        puppet.send(.control(echo: 0, flags: .probe), by: .carrier)
        puppet.send(.control(), by: .carrier)
        #expect(puppet.path(.carrier)?.echoedAt == stage.now)
        let outputs = stage.outputs { stage.input(.addressesChanged(present)) }
        let closed = outputs.contains { if case .carrierClose(puppet.carrier) = $0 { true } else { false } }
        #expect(closed == isGone && puppet.status?.hasCarrier == !isGone && puppet.status?.state == .up)
        #expect(puppet.path(.carrier)?.echoedAt == (isGone ? nil : stage.now))
        #expect(puppet.link?.renewal == (isGone ? .due(at: stage.now) : CarrierRenewal.none))
    }

    @Test(
        "a carrier on a link-local network is given up only if the own address on that interface is gone",
        arguments: [(2, true), (3, false)] as [(UInt32, Bool)])
    func strandedOnInterface(scope: UInt32, isGone: Bool) {
        func linkLocal(_ last: UInt64, on index: UInt32) -> InterfaceAddress {
            PuppetStage.interface(IPAddress(high: 0xFE80 << 48, low: last), length: 64, index: index)
        }
        let (wire, docker) = (linkLocal(1, on: 2), linkLocal(2, on: 3))
        let stage = PuppetStage { $0.interfaces = [wire, docker] }
        let puppet = stage.link(remote: IPAddress(high: 0xFE80 << 48, low: 9), scope: scope)
        let outputs = stage.outputs { stage.input(.addressesChanged([docker])) }
        let closed = outputs.contains { if case .carrierClose(puppet.carrier) = $0 { true } else { false } }
        #expect(closed == isGone && puppet.status?.hasCarrier == !isGone)
    }

    @Test("a carrier of a link that is down is given up too, and no new one is wanted")
    func strandedAsleep() {
        let stage = PuppetStage()
        let puppet = stage.link()
        stage.pass(.seconds(2))
        stage.input(.addressesChanged([]))
        #expect(puppet.status?.hasCarrier == true)
        stage.pass(MeshLimits.networkReturnMax)
        #expect(puppet.status?.hasCarrier == false && puppet.link?.renewal == CarrierRenewal.none)
    }

    @Test("a carrier outlives an outage of less than 3 s of the only network, also if the addresses come back in turn")
    func pluggedInAgain() {
        let stage = PuppetStage { $0.interfaces = [Self.home, Self.six] }
        let puppets = [stage.link(), stage.link(remote: Self.besideSix)]
        func haveCarriers() -> [Bool?] { puppets.map { $0.status?.hasCarrier } }
        for puppet in puppets { puppet.answers = { _ in true } }
        stage.input(.addressesChanged([]))
        stage.pass(.seconds(1))
        stage.input(.addressesChanged([Self.home]))
        stage.pass(MeshLimits.networkReturnMax - .milliseconds(1_001))
        #expect(haveCarriers() == [true, true])
        stage.input(.addressesChanged([Self.home, Self.six]))
        stage.pass(.seconds(10))
        #expect(haveCarriers() == [true, true])
    }

    @Test("after 3 s without the address, or at once on another network, a carrier is given up")
    func unplugged() {
        let stage = PuppetStage { $0.interfaces = [Self.home, Self.six] }
        let (puppet, six) = (stage.link(), stage.link(remote: Self.besideSix))
        for puppet in [puppet, six] { puppet.answers = { _ in true } }
        stage.input(.addressesChanged([]))
        stage.input(.addressesChanged([Self.home]))
        stage.pass(MeshLimits.networkReturnMax)
        #expect(puppet.status?.hasCarrier == true && six.status?.hasCarrier == false)
        stage.input(.addressesChanged([]))
        #expect(puppet.status?.hasCarrier == true)
        stage.input(.addressesChanged([Self.away]))
        #expect(puppet.status?.hasCarrier == false)
    }

    @Test("the time in which the machine sleeps is a part of the 3 s")
    func asleep() {
        let stage = PuppetStage()
        let puppet = stage.link()
        puppet.answers = { _ in true }
        stage.input(.addressesChanged([]))
        stage.input(.resumed(gap: .seconds(1), slept: .seconds(1)))
        stage.pass(MeshLimits.networkReturnMax - .milliseconds(1_001))
        #expect(puppet.status?.hasCarrier == true)
        stage.pass(.milliseconds(1))
        #expect(puppet.status?.hasCarrier == false)
    }

    @Test(
        "when the network is back, waits for peers and for addresses from the user end at once")
    func outage() throws {
        let given = Endpoint(address: IPAddress(v4: 10, 0, 0, 99), port: 7400)
        let stage = PuppetStage { $0.staticPeers = [given] }
        stage.pass(.zero)
        let dial = stage.outputs.compactMap { if case .dial(let id, given, _) = $0.output { id } else { nil } }
        stage.input(.dialFailed(try #require(dial.first), .own))
        func place(_ number: UInt8) -> Endpoint { Endpoint(address: IPAddress(v4: 10, 0, 0, number), port: 7400) }
        let (sleeper, dead) = (stage.link(endpoints: [place(72)]), stage.link(endpoints: [place(75)]))
        let heardOf = TestIdentity.nodeID(seed: 50)
        sleeper.answers = { _ in true }
        stage.pass(.seconds(7))
        #expect(dead.status?.presence.isDead == true && sleeper.status?.state == .up)
        sleeper.answers = { _ in false }
        stage.input(.addressesChanged([]))
        stage.input(.discovered(PeerHint(source: .avahi, node: heardOf, endpoints: [place(74)])))
        stage.pass(.milliseconds(2_200))
        #expect(sleeper.status?.state == .down && sleeper.status?.failures == 0)
        #expect(dials(stage.outputs { stage.input(.addressesChanged([])) }).isEmpty)
        #expect(dials(stage.outputs { stage.input(.addressesChanged([Self.home])) }).contains(given))
        for peer in [sleeper.id, dead.id, heardOf] {
            #expect(stage.node.peerSnapshot(of: peer, now: stage.now).link?.status.state == .connecting)
        }
    }

    /// Changes the addresses; every dial that follows fails. Returns where the node has dialled.
    @discardableResult
    private func failDials(_ stage: PuppetStage, after interfaces: [InterfaceAddress]) -> [Endpoint] {
        var dialled: [Endpoint] = []
        var next = stage.outputs { stage.input(.addressesChanged(interfaces)) }
        while true {
            let ids = next.compactMap { if case .dial(let id, _, _) = $0 { id } else { nil } }
            guard !ids.isEmpty else { return dialled }
            dialled += dials(next)
            next = stage.outputs { for id in ids { stage.input(.dialFailed(id, .unreachable)) } }
        }
    }

    @Test("each address on a further network ends the waits: the link-local one, and that of DHCP seconds later")
    func inPieces() {
        let place = Endpoint(address: IPAddress(v4: 10, 0, 0, 72), port: 7400)
        let stage = PuppetStage()
        let puppet = stage.link(endpoints: [place])
        stage.pass(.milliseconds(1_200))
        let linkLocal = PuppetStage.interface(IPAddress(high: 0xFE80 << 48, low: 1), length: 64)
        for interfaces in [[], [linkLocal]] {
            failDials(stage, after: interfaces)
            stage.pass(.seconds(2))
        }
        #expect(puppet.status?.state != .up)
        #expect(failDials(stage, after: [linkLocal, Self.home]).contains(place))
    }

    @Test("interfaces that software has made are no network, and do not hide its return")
    func besideContainers() {
        let place = Endpoint(address: IPAddress(v4: 10, 0, 0, 72), port: 7400)
        let containers = PuppetStage.interface(IPAddress(v4: 172, 17, 0, 1), length: 16, isAdvertised: false, index: 3)
        let stage = PuppetStage { $0.interfaces = [Self.home, containers] }
        let puppet = stage.link(endpoints: [place])
        stage.pass(.milliseconds(1_200))
        failDials(stage, after: [containers])
        stage.pass(.seconds(30))
        #expect(puppet.status?.state != .up && puppet.status?.failures == 0)
        #expect(puppet.status?.presence.isDead == false)
        #expect(failDials(stage, after: [Self.home, containers]).contains(place))
    }

    @Test("a peer that fell silent without a network is dialled when the network is back, also after 11 minutes")
    func longOutage() {
        let place = Endpoint(address: IPAddress(v4: 10, 0, 0, 72), port: 7400)
        let stage = PuppetStage()
        let puppet = stage.link(endpoints: [place])
        stage.pass(.milliseconds(1_200))
        failDials(stage, after: [])
        stage.pass(.seconds(660))
        #expect(puppet.status?.state == .down)
        #expect(failDials(stage, after: [Self.home]).contains(place))
    }

    @Test("an additional address on a network that this node has already ends no wait")
    func noOutage() throws {
        let given = Endpoint(address: IPAddress(v4: 10, 0, 0, 99), port: 7400)
        let stage = PuppetStage { $0.staticPeers = [given] }
        stage.pass(.zero)
        let dial = stage.outputs.compactMap { if case .dial(let id, given, _) = $0.output { id } else { nil } }
        stage.input(.dialFailed(try #require(dial.first), .own))
        let puppet = stage.link()
        stage.pass(.milliseconds(1_600))
        let retryAt = puppet.status?.retryAt
        let outputs = stage.outputs { stage.input(.addressesChanged([Self.home, Self.beside])) }
        #expect(dials(outputs).isEmpty && retryAt != nil && puppet.status?.retryAt == retryAt)
        #expect(dials(stage.outputs { stage.input(.addressesChanged([])) }).isEmpty)
    }
}
