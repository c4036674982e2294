import Mesh
import MeshTestKit
import Primitives
import TestKit
import Testing
import Trust
import Wire

/// Senders of beacons that the node cannot read: a newcomer, or a member that knows another secret.
@Suite("Senders of unreadable beacons")
struct WaitingRoomTests {
    private static let codeKey = [UInt8](repeating: 9, count: CodeSizes.codeKeyBytes)

    private static func mesh(_ number: UInt8, secret: UInt8? = nil) -> ClosedMesh? {
        EpochSecret(number: 1, bytes: [UInt8](repeating: secret ?? number, count: EpochSecret.byteCount)).map {
            ClosedMesh(
                id: MeshID(high: UInt64(number), low: 0), name: "crew", secrets: [$0], codeKey: codeKey,
                with: TransparentSealing(seed: 9))
        }
    }

    private func newcomer() -> FindingBench {
        FindingBench { $0.standing = .newcomer(codeKey: Self.codeKey, by: .mesh) }
    }

    /// The beacon of a member of mesh 1 that listens at this port.
    private func beacon(port: UInt16 = 7_400) throws -> [UInt8] {
        let mesh = try #require(Self.mesh(1))
        return SealedBeacon(
            FindingBench.record(of: 50), port: port, salt: [UInt8](repeating: 1, count: WireSizes.beaconSaltBytes),
            nonce: [UInt8](repeating: 2, count: WireSizes.sealNonceBytes), keys: mesh.newestKeys,
            with: TransparentSealing(seed: 50)
        ).encoded()
    }

    private func hear(_ bench: FindingBench, from host: UInt8, port: UInt16 = 7_400) throws {
        bench.input(.beacon(try beacon(port: port), from: FindingBench.at(host, port: 50_000)))
    }

    @Test("a newcomer dials the sender at its source address and the port of the beacon, without a NodeID")
    func dialled() throws {
        let bench = newcomer()
        try hear(bench, from: 7, port: 7_405)
        #expect(bench.dials.map(\.to) == [FindingBench.at(7, port: 7_405)])
        #expect(bench.dials.map(\.expecting) == [nil])
        // A second beacon while it is dialled changes nothing.
        try hear(bench, from: 7, port: 7_405)
        #expect(bench.dials.count == 1)
    }

    @Test("a node of an open mesh dials none, and counts them")
    func open() throws {
        let bench = FindingBench()
        try hear(bench, from: 7)
        #expect(bench.dials.isEmpty && bench.counter(.beaconsOtherMesh) == 1)
    }

    @Test("a newcomer counts the beacons of an open mesh, and dials none")
    func openBeacon() {
        let bench = newcomer()
        bench.beacon(FindingBench.record(of: 50), from: 7)
        #expect(bench.dials.isEmpty && bench.counter(.beaconsOtherMesh) == 1)
    }

    @Test("a member without links dials a sender of another secret; its own kind it reads")
    func member() throws {
        let own = try #require(Self.mesh(1))
        let other = try #require(Self.mesh(1, secret: 77))
        let bench = FindingBench { $0.standing = .member(other) }
        try hear(bench, from: 7)
        #expect(bench.dials.map(\.expecting) == [nil] && bench.counter(.beaconsOtherMesh) == 1)
        let reader = FindingBench { $0.standing = .member(own) }
        try hear(reader, from: 7)
        #expect(reader.counter(.beaconsOtherMesh) == 0)
        #expect(reader.dials.allSatisfy { $0.expecting != nil })
    }

    @Test("a linked member dials one such sender in 30 s while a member that it knows has no link, and else none")
    func linkedMember() throws {
        for isComplete in [true, false] {
            var own = try #require(Self.mesh(1, secret: 77))
            if !isComplete { own.recordProof(by: TestIdentity.nodeID(seed: 9)) }
            let cluster = MeshCluster()
            for seed in 1...2 as ClosedRange<UInt64> { cluster.start(seed: seed, standing: .member(own)) }
            cluster.discover(1, by: 0)
            #expect(cluster.drive(atMost: .seconds(5)) { cluster.isUp(0, 1) })
            let senders = (77...79 as ClosedRange<UInt8>).map { FindingBench.at($0, port: 50_000) }
            for _ in 0...60 {
                for sender in senders { cluster.input(0, .beacon(try beacon(), from: sender)) }
                cluster.drive(for: .seconds(1))
            }
            let tried = cluster.members[0].dials.filter { dial in
                senders.contains { $0.address == dial.endpoint.address }
            }
            #expect(tried.count == (isComplete ? 0 : 3))
        }
    }

    @Test("four are tried at once, each of another source, and the next when one has failed")
    func atOnce() throws {
        let bench = newcomer()
        for port in 7_400...7_410 as ClosedRange<UInt16> { try hear(bench, from: 7, port: port) }
        #expect(bench.dials.count == 1)
        for host in 8...12 as ClosedRange<UInt8> { try hear(bench, from: host) }
        #expect(bench.dials.map(\.to.address) == [7, 8, 9, 10].map { FindingBench.at($0).address })
        bench.input(.dialFailed(bench.dials[0].id, .refused))
        bench.drive(for: .milliseconds(10))
        // The source that was served goes to the end.
        #expect(bench.dials.map(\.to).last == FindingBench.at(11) && bench.dials.count == 5)
        bench.input(.dialFailed(bench.dials[1].id, .unreachable))
        bench.drive(for: .milliseconds(10))
        #expect(bench.dials.map(\.to).last == FindingBench.at(12) && bench.dials.count == 6)
        bench.input(.dialFailed(bench.dials[2].id, .unreachable))
        bench.drive(for: .milliseconds(10))
        #expect(bench.dials.map(\.to).last == FindingBench.at(7, port: 7_401) && bench.dials.count == 7)
    }

    @Test("a sender that takes no connection within a second is given up")
    func slow() throws {
        let bench = newcomer()
        for host in 7...11 as ClosedRange<UInt8> { try hear(bench, from: host) }
        #expect(bench.dials.count == 4)
        bench.drive(for: MeshLimits.senderDialMax + .milliseconds(10))
        #expect(bench.cancelled.count == 4 && bench.dials.count == 5)
    }

    @Test("one that answers and says nothing keeps its place for three seconds; waiting ends after five")
    func answers() throws {
        let bench = newcomer()
        for host in 7...10 as ClosedRange<UInt8> { try hear(bench, from: host) }
        for (number, dial) in bench.dials.enumerated() {
            bench.open(UInt64(number + 1), by: UInt64(60 + number), dial: dial.id, from: dial.to)
        }
        try hear(bench, from: 11)
        bench.drive(for: .milliseconds(2_900))
        #expect(bench.dials(expecting: nil).count == 4)
        bench.drive(for: .milliseconds(200))
        #expect(bench.dials(expecting: nil).count == 5)
        // Twelve more wait, and the four places are taken again by dials that hang.
        bench.input(.dialFailed(bench.dials(expecting: nil)[4].id, .refused))
        for host in 20...23 as ClosedRange<UInt8> { try hear(bench, from: host) }
        try hear(bench, from: 24)
        for dial in bench.dials(expecting: nil).suffix(4) {
            bench.open(
                UInt64(dial.to.address.v4 ?? 0), by: UInt64(dial.to.port) + dial.id.number, dial: dial.id, from: dial.to
            )
        }
        let count = bench.dials(expecting: nil).count
        bench.wait(until: bench.now + .milliseconds(5_100))
        bench.drive(for: .milliseconds(100))
        #expect(bench.dials(expecting: nil).count == count, "the one that waited is gone")
    }

    @Test("beacons of many ports in a member's name do not keep the member out: one of its own has the same odds")
    func forged() throws {
        let bench = newcomer()
        // Only the member itself answers; at the other ports nobody listens.
        bench.answer = { $0.to.port == 7_400 ? nil : .dialFailed($0.id, .refused) }
        var port: UInt16 = 10_000
        func flood() throws {
            port += 1
            try hear(bench, from: 7, port: port)
        }
        // Eight a second use up the burst of dials, and fill the waiting room.
        for _ in 0..<160 {
            try flood()
            bench.drive(for: .milliseconds(125))
        }
        #expect(bench.dials.count < 160 - MeshLimits.sendersWaitingMax)
        for _ in 0..<40 {
            for part in 0..<80 {
                try flood()
                if part == 0 { try hear(bench, from: 7) }
                bench.drive(for: .milliseconds(125))
            }
            if bench.dials.contains(where: { $0.to.port == 7_400 }) { return }
        }
        Issue.record("the member was not dialled within \(bench.dials.count) dials")
    }

    @Test("addresses that a person gave and that do not answer take turns with a sender")
    func besideGiven() throws {
        let bench = FindingBench {
            $0.standing = .newcomer(codeKey: Self.codeKey, by: .mesh)
            $0.staticPeers = (20..<32).map { FindingBench.at($0) }
        }
        bench.answer = { .dialFailed($0.id, .refused) }
        // By then the burst of dials is used up, and an address is due whenever the rate allows a dial.
        bench.drive(for: .seconds(60))
        try hear(bench, from: 7)
        bench.drive(for: .seconds(4))
        #expect(bench.dials.contains { $0.to == FindingBench.at(7) })
    }

    @Test("one that answers is a peer from then on: its next beacon leads to no dial without a NodeID")
    func known() throws {
        let bench = newcomer()
        try hear(bench, from: 7)
        bench.open(1, by: 60, dial: bench.dials[0].id, from: FindingBench.at(7))
        bench.close(1)
        try hear(bench, from: 7)
        #expect(bench.dials(expecting: nil).count == 1)
        bench.drive(for: .seconds(3))
        #expect(bench.dials(expecting: 60).first?.to == FindingBench.at(7))
    }

    @Test("this node itself and hosts out of reach are not tried again and again")
    func ownAndFar() throws {
        let bench = newcomer()
        bench.input(.beacon(try beacon(), from: Endpoint(address: IPAddress(v4: 203, 0, 113, 5), port: 50_000)))
        #expect(bench.dials.isEmpty)
        try hear(bench, from: 1, port: 7_444)
        for dial in bench.dials { bench.open(1, by: 1, dial: dial.id, from: dial.to) }
        try hear(bench, from: 8)
        #expect(bench.dials.last?.to == FindingBench.at(8))
    }
}
