import Mesh
import MeshTestKit
import Node
import Primitives
import TestKit
import Testing
import Trust
import Wire

@Suite("Services of closed meshes")
struct ServiceTests {
    private static let codeKey = [UInt8](repeating: 9, count: CodeSizes.codeKeyBytes)

    private static func mesh(_ number: UInt8) throws -> ClosedMesh {
        let secret = try #require(
            EpochSecret(number: 1, bytes: [UInt8](repeating: number, count: EpochSecret.byteCount)))
        return ClosedMesh(
            id: MeshID(high: UInt64(number), low: 0), name: "crew", secrets: [secret], codeKey: codeKey,
            with: TransparentSealing(seed: 9))
    }

    private func newcomer() -> FindingBench {
        FindingBench { $0.standing = .newcomer(codeKey: Self.codeKey, by: .mesh) }
    }

    /// The service of the node of a seed in a mesh.
    private func service(of seed: UInt64, in number: UInt8 = 1) throws -> SealedService {
        let sealing = TransparentSealing(seed: seed)
        return SealedService(
            of: sealing.nodeID, port: 7_400, salt: [UInt8](repeating: 1, count: WireSizes.beaconSaltBytes),
            nonce: [UInt8](repeating: 2, count: WireSizes.sealNonceBytes), keys: try Self.mesh(number).newestKeys,
            with: sealing)
    }

    private func find(_ service: SealedService, at host: UInt8, _ bench: FindingBench) {
        bench.input(.serviceFound(service, at: [FindingBench.at(host, port: service.port)]))
    }

    @Test("a member of the mesh reads the NodeID, and dials that node")
    func member() throws {
        let mesh = try Self.mesh(1)
        let bench = FindingBench { $0.standing = .member(mesh) }
        let peer = FindingBench.led[0]
        find(try service(of: peer), at: 7, bench)
        bench.drive(for: .seconds(1))
        #expect(bench.dials(expecting: peer).map(\.to) == [FindingBench.at(7)] && bench.dials.count == 1)
        #expect(bench.counter(.servicesOtherMesh) == 0)
    }

    @Test("its own service leads a member to no dial")
    func own() throws {
        let mesh = try Self.mesh(1)
        let bench = FindingBench { $0.standing = .member(mesh) }
        find(try service(of: 1), at: 1, bench)
        bench.drive(for: .seconds(1))
        #expect(bench.dials.isEmpty)
    }

    @Test("a member without a link tries a service that it cannot read; a node of an open mesh does not")
    func others() throws {
        let mesh = try Self.mesh(1)
        for (standing, count) in [(MeshStanding.member(mesh), 1), (.open, 0)] {
            let bench = FindingBench { $0.standing = standing }
            find(try service(of: 50, in: 2), at: 7, bench)
            bench.drive(for: .seconds(1))
            #expect(bench.dials(expecting: nil).count == count && bench.dials.count == count)
            #expect(bench.counter(.servicesOtherMesh) == 1)
        }
    }

    @Test("a member without a link tries such a service again every five seconds")
    func othersAgain() throws {
        let mesh = try Self.mesh(1)
        let bench = FindingBench { $0.standing = .member(mesh) }
        bench.answer = { .dialFailed($0.id, .unreachable) }
        find(try service(of: 50, in: 2), at: 7, bench)
        bench.drive(for: .seconds(11))
        #expect(bench.dials.map(\.to) == Array(repeating: FindingBench.at(7), count: 3))
    }

    @Test("a linked member does not wake for a service that it cannot read, and tries it once its last link is down")
    func othersOfLinked() throws {
        let mesh = try Self.mesh(1)
        let cluster = MeshCluster()
        for seed in 1...2 as ClosedRange<UInt64> { cluster.start(seed: seed, standing: .member(mesh)) }
        cluster.discover(1, by: 0)
        #expect(cluster.drive(atMost: .seconds(5)) { cluster.isUp(0, 1) })
        let foreign = FindingBench.at(77)
        cluster.input(0, .serviceFound(try service(of: 50, in: 2), at: [foreign]))
        for _ in 0..<20 {
            let reason = cluster.members[0].node.nextDeadline?.reason
            #expect(reason != .dial)
            cluster.drive(for: .seconds(1))
        }
        #expect(!cluster.members[0].dials.contains { $0.endpoint == foreign })
        cluster.kill(1)
        #expect(cluster.drive(atMost: .seconds(60)) { cluster.members[0].dials.contains { $0.endpoint == foreign } })
    }

    @Test("a linked member tries one such service in 30 s, by lot, while a member that it knows has no link")
    func othersOfSeeking() throws {
        var mesh = try Self.mesh(1)
        mesh.recordProof(by: TestIdentity.nodeID(seed: 9))
        let cluster = MeshCluster()
        for seed in 1...2 as ClosedRange<UInt64> { cluster.start(seed: seed, standing: .member(mesh)) }
        cluster.discover(1, by: 0)
        #expect(cluster.drive(atMost: .seconds(5)) { cluster.isUp(0, 1) })
        let foreign = [FindingBench.at(77), FindingBench.at(78)]
        for endpoint in foreign { cluster.input(0, .serviceFound(try service(of: 50, in: 2), at: [endpoint])) }
        func tried() -> [Endpoint] { cluster.members[0].dials.map(\.endpoint).filter(foreign.contains) }
        cluster.drive(for: .seconds(29))
        #expect(tried().count == 1)
        cluster.drive(for: .seconds(600))
        #expect((20...22).contains(tried().count) && Set(tried()) == Set(foreign))
    }

    @Test("a right tag over a seal that does not open leads to no dial, and is counted")
    func forged() throws {
        let mesh = try Self.mesh(1)
        let bench = FindingBench { $0.standing = .member(mesh) }
        let good = try service(of: 50)
        let forged = try #require(
            SealedService(
                port: good.port, salt: good.salt, tag: good.tag, sealedNode: good.sealedNode.map { $0 ^ 1 }))
        find(forged, at: 7, bench)
        bench.drive(for: .seconds(1))
        #expect(bench.dials.isEmpty && bench.counter(.servicesForged) == 1)
    }

    @Test("a newcomer dials the node of a service, and again every five seconds while it fails")
    func newcomerAgain() throws {
        let bench = newcomer()
        bench.answer = { .dialFailed($0.id, .unreachable) }
        find(try service(of: 50), at: 7, bench)
        find(try service(of: 50), at: 7, bench)
        bench.drive(for: .seconds(1))
        #expect(bench.dials.map(\.to) == [FindingBench.at(7)] && bench.dials[0].expecting == nil)
        bench.drive(for: .seconds(10))
        #expect(bench.dials.count == 3)
        let gaps = zip(bench.dials, bench.dials.dropFirst()).map { $1.at - $0.at }
        #expect(gaps.allSatisfy { MeshLimits.servicesInterval - .milliseconds(10) <= $0 })
    }

    @Test("one that has answered is a peer from then on, and is not dialled without its NodeID")
    func answered() throws {
        let bench = newcomer()
        find(try service(of: 50), at: 7, bench)
        bench.open(1, by: 60, dial: bench.dials[0].id, from: FindingBench.at(7))
        bench.close(1)
        bench.drive(for: .seconds(12))
        #expect(bench.dials(expecting: nil).count == 1 && !bench.dials(expecting: 60).isEmpty)
    }

    @Test("of many services of one host the others take turns with it: 200 ports keep no other host out")
    func many() throws {
        let bench = newcomer()
        bench.answer = { .dialFailed($0.id, .refused) }
        let good = try service(of: 50)
        for port in 10_000..<10_200 as Range<UInt16> {
            let service = try #require(
                SealedService(port: port, salt: good.salt, tag: good.tag, sealedNode: good.sealedNode))
            find(service, at: 7, bench)
        }
        find(good, at: 8, bench)
        #expect(bench.counter(.servicesOverLimit) == UInt64(201 - MeshLimits.servicesKeptMax))
        bench.drive(for: .seconds(60))
        #expect(5 <= bench.dials.count { $0.to == FindingBench.at(8) })
        // The burst of dials, and then two a second.
        #expect(bench.dials.count <= MeshLimits.dialBurst + 2 * 60)
    }

    @Test("a service out of reach is not tried")
    func far() throws {
        let bench = newcomer()
        let far = Endpoint(address: IPAddress(v4: 203, 0, 113, 5), port: 7_400)
        bench.input(.serviceFound(try service(of: 50), at: [far]))
        bench.drive(for: .seconds(12))
        #expect(bench.dials.isEmpty)
    }

    @Test("a member announces its sealed service at its start and each day anew, an open node and a newcomer none")
    func announced() throws {
        let mesh = try Self.mesh(1)
        let bench = FindingBench { $0.standing = .member(mesh) }
        let first = try #require(bench.services.first)
        #expect(bench.services.count == 1 && first.port == 7_400)
        #expect(first.isTagged(by: mesh.newestKeys, with: TransparentSealing(seed: 2)))
        #expect(first.opened(by: mesh.newestKeys, with: TransparentSealing(seed: 2)) == FindingBench.own)
        bench.drive(for: MeshLimits.beaconSaltLifetime - .seconds(1))
        #expect(bench.services.count == 1)
        bench.input(.command(.setProfile(NodeProfile(name: SafeText("another")))))
        #expect(bench.services.count == 1, "no name is in it")
        bench.drive(for: .seconds(2))
        #expect(bench.services.count == 2)
        let second = try #require(bench.services.last)
        #expect(second.salt != first.salt && second.tag != first.tag && second.sealedNode != first.sealedNode)
        #expect(FindingBench().services.isEmpty && newcomer().services.isEmpty)
    }

    @Test("the salt of a day ages while the machine sleeps; a stop, which the clock of the node counts, adds nothing")
    func asleep() throws {
        let mesh = try Self.mesh(1)
        let bench = FindingBench { $0.standing = .member(mesh) }
        bench.input(.resumed(gap: .seconds(90_000)))
        bench.drive(for: .seconds(1))
        #expect(bench.services.count == 1)
        bench.input(.resumed(gap: .seconds(90_000), slept: .seconds(90_000)))
        bench.drive(for: .seconds(1))
        #expect(bench.services.count == 2 && bench.services.first?.salt != bench.services.last?.salt)
    }

    @Test("beacons have the salt of the service, also on the next day")
    func oneSalt() throws {
        let mesh = try Self.mesh(1)
        let bench = FindingBench {
            $0.standing = .member(mesh)
            $0.beaconEnabled = true
        }
        bench.drive(for: MeshLimits.beaconSaltLifetime + .seconds(30))
        let salts = try bench.beacons.map { try SealedBeacon(parsing: $0).salt }
        #expect(Set(salts) == Set(bench.services.map(\.salt)) && bench.services.count == 2)
        #expect(salts.first == bench.services.first?.salt && salts.last == bench.services.last?.salt)
    }
}
