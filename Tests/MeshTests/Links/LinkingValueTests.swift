import Mesh
import Primitives
import TestKit
import Testing
import Trust
import Wire

@Suite("Tables and records behind links")
struct LinkingValueTests {
    private let nodes = (1...6 as ClosedRange<UInt64>).map { NodeID(words: ($0 * 10, 0, 0, 0)) }

    // MARK: Peers

    @Test("a peer is found by its NodeID, in whichever slot it is")
    func peers() {
        var table = PeerTable()
        let given = [3, 0, 4, 1].map { table.append(nodes[$0], isLeader: $0 == 3) }
        #expect(given == [0, 1, 2, 3])
        #expect([3, 0, 4, 1].map { table.index(of: nodes[$0]) } == [0, 1, 2, 3])
        #expect(table.indicesByNode == [1, 3, 0, 2])
        #expect(table.index(of: nodes[2]) == nil && table.index(of: nodes[5]) == nil)
        #expect(table.indices.map { table[$0].isLeader } == [true, false, false, false])
    }

    @Test("a reused slot is found only under its new NodeID, and starts with fresh values")
    func replaced() {
        var table = PeerTable()
        for place in [3, 0, 4] { _ = table.append(nodes[place], isLeader: true) }
        table[1].attempt = 9
        for next in [5, 2] { table.replace(1, with: nodes[next], isLeader: false) }
        #expect([0, 2, 3, 4, 5].map { table.index(of: nodes[$0]) } == [nil, 1, 0, 2, nil])
        #expect(table.indicesByNode == [1, 0, 2])
        #expect(table[1].node == nodes[2] && table[1].slot.index == 1 && table[1].attempt == 0)
        #expect(table[1].state == .down(dialAt: .distantFuture) && table.indices.count == 3)
    }

    @Test("the table has 64 slots")
    func full() {
        var table = PeerTable()
        for number in 1...64 as ClosedRange<UInt64> {
            #expect(!table.isFull)
            _ = table.append(NodeID(words: (number, 1, 0, 0)), isLeader: true)
        }
        #expect(table.isFull)
    }

    // MARK: Carriers

    private var admission: CarrierAdmission {
        CarrierAdmission(side: .acceptor, own: nodes[0], peer: nodes[1], nonce: [], keys: [])
    }

    private func line(_ id: UInt64, slot: Int = 0, at seconds: Int64 = 0) -> CarrierEntry {
        CarrierEntry(
            id: CarrierID(number: id), slot: PeerSlot(index: slot),
            route: .direct(remote: Endpoint(address: IPAddress(v4: 10, 0, 0, 1), port: 1), dialled: nil),
            openedAt: .zero + .seconds(seconds), admission: admission, ownNonce: [])
    }

    @Test("carriers are found by number, in whatever order they opened")
    func carriers() {
        var table = CarrierTable()
        for (place, id) in [4, 2, 6, 5].enumerated() as EnumeratedSequence<[UInt64]> {
            table.insert(line(id, slot: place % 2))
        }
        #expect(table.entries.map(\.id.number) == [2, 4, 5, 6])
        #expect((1...7).map { table[CarrierID(number: $0)]?.id.number } == [nil, 2, nil, 4, 5, 6, nil])
        #expect(table.entries(of: PeerSlot(index: 1)).map(\.id.number) == [2, 5])
        let removed = [5, 3].map { table.remove(CarrierID(number: $0))?.id.number }
        #expect(removed == [5, nil])
        #expect(table.entries.map(\.id.number) == [2, 4, 6])
    }

    @Test("the oldest carrier without a PROOF is due three seconds after it opened, and without a HELLO after five")
    func overdue() {
        var table = CarrierTable()
        #expect(table.nextOverdueAt == .distantFuture)
        for (id, seconds) in [(1, 7), (2, 3), (3, 5)] as [(UInt64, Int64)] { table.insert(line(id, at: seconds)) }
        #expect(table.nextOverdueAt == .zero + .seconds(6))
        guard case .admission(let proof) = TestProof.open() else { return }
        _ = table.advance(
            CarrierID(number: 2), .frame(proof), as: .open, pairingKey: nil, with: TransparentSealing(seed: 1))
        #expect(table.nextOverdueAt == .zero + .seconds(8))
        let greeting = Greeting(instance: .max, bootNonce: BootNonce(number: 1), nonce: [], mediaPort: 1)
        table.greet(CarrierID(number: 2), greeting)
        table.greet(CarrierID(number: 9), greeting)
        #expect(table.nextOverdueAt == .zero + .seconds(8))
        table.greet(CarrierID(number: 3), greeting)
        #expect(table.nextOverdueAt == .zero + .seconds(10))
        #expect(table[CarrierID(number: 2)]?.greeting == greeting && table[CarrierID(number: 1)]?.greeting == nil)
    }

    @Test("a route names its dialler and its tunnel")
    func routes() {
        let endpoint = Endpoint(address: IPAddress(v4: 10, 0, 0, 1), port: 1)
        func line(_ route: CarrierRoute) -> CarrierEntry {
            CarrierEntry(
                id: CarrierID(number: 1), slot: PeerSlot(index: 0), route: route, openedAt: .zero,
                admission: admission, ownNonce: [])
        }
        let (dialled, accepted) = (
            line(.direct(remote: endpoint, dialled: endpoint)), line(.direct(remote: endpoint, dialled: nil))
        )
        let tunnels = [true, false].map { line(.tunnel(via: nodes[0], isOwnDial: $0)) }
        #expect(dialled.isOwnDial && !accepted.isOwnDial && tunnels.map(\.isOwnDial) == [true, false])
        #expect(!dialled.isTunnelled && tunnels[0].isTunnelled && tunnels[0].via == nodes[0])
        #expect(dialled.remote == endpoint && tunnels[0].remote == nil && accepted.dialled == nil)
    }

    @Test("a renewal waits until it is due, five seconds for a HELLO, or until the agreed deadline")
    func renewals() {
        let now = Instant.zero + .seconds(100)
        let negotiation = LinkNegotiation(carrier: CarrierID(number: 1), deadline: now + .seconds(3))
        #expect(CarrierRenewal.none.deadline == .distantFuture && CarrierRenewal.due(at: now).deadline == now)
        #expect(CarrierRenewal.connecting(since: now).deadline == now + .seconds(5))
        #expect(CarrierRenewal.negotiating(negotiation).deadline == now + .seconds(3))
        #expect(CarrierRenewal.negotiating(negotiation).negotiation == negotiation)
        #expect(CarrierRenewal.connecting(since: now).negotiation == nil)
    }

    // MARK: The node's own record

    private func interface(
        _ index: UInt32, _ address: IPAddress, _ medium: InterfaceAddress.Medium, isAdvertised: Bool = true
    ) -> InterfaceAddress {
        InterfaceAddress(
            interfaceIndex: index, prefix: AddressPrefix(address: address, length: 24), medium: medium,
            isAdvertised: isAdvertised)
    }

    @Test("the record names each advertised address once, by medium, interface and address; else loopback")
    func endpoints() {
        func address(_ last: UInt8) -> IPAddress { IPAddress(v4: 10, 0, 0, last) }
        let advertised = OwnRecord.endpoints(
            [
                interface(1, address(9), .wireless), interface(3, address(3), .wired), interface(2, address(5), .wired),
                interface(2, address(4), .wired), interface(4, address(8), .other, isAdvertised: false),
                interface(5, IPAddress(v4: 0), .wired), interface(6, address(3), .wired),
            ], port: 7_400)
        #expect(advertised == [4, 5, 3, 9].map { Endpoint(address: address($0), port: 7_400) })
        let local = interface(1, IPAddress(v4: 127, 0, 0, 1), .loopback, isAdvertised: false)
        #expect(
            OwnRecord.endpoints([local], port: 7_401) == [Endpoint(address: local.prefix.address, port: 7_401)])
        #expect(OwnRecord.endpoints([local, interface(2, address(4), .wired)], port: 1).map(\.address) == [address(4)])
        let many = (1...9 as ClosedRange<UInt8>).map { interface(1, address($0), .wired) }
        #expect(OwnRecord.endpoints(many, port: 1).map(\.address) == (1...8).map { address($0) })
    }

    @Test("each change signs the own record again under the next sequence number; no change costs no signature")
    func ownRecord() throws {
        let stage = LinkStage()
        var own = OwnRecord(stage.configuration, sealing: stage.sealing)
        #expect(own.record.sequence == 1 && own.digestTerm == own.record.digestTerm)
        let first = (own.signed, own.digestTerm)
        func colour(_ colour: UInt32) -> Bool { own.change(sealing: stage.sealing) { $0.profile.colour = colour } }
        let (isSame, isOther) = (colour(0), colour(7))
        #expect(!isSame && isOther && own.record.sequence == 2)
        #expect(own.signed != first.0 && own.digestTerm != first.1 && own.digestTerm == own.record.digestTerm)
        #expect(try own.signed.verified(with: stage.sealing) == own.record && own.record.profile.colour == 7)
        let isBack = colour(0)
        #expect(isBack && own.record.sequence == 3)
    }
}
