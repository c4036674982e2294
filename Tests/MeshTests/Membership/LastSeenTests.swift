import Mesh
import MeshTestKit
import Primitives
import TestKit
import Testing
import Trust
import Wire

@Suite("Who was met, and when")
struct LastSeenTests {
    private func linked(_ count: Int) -> MeshCluster {
        let cluster = MeshCluster.acquainted(count)
        cluster.drive(for: .seconds(5))
        return cluster
    }

    private func exchanges(_ cluster: MeshCluster, _ nodes: [Int]) -> UInt64 {
        nodes.reduce(0) { $0 + cluster.counter(.versionExchanges, at: $1) }
    }

    @Test("a link that is away while the record of its peer would expire leaves digests that agree")
    func expiryWhileAway() {
        let cluster = linked(2)
        cluster.drive(for: MeshLimits.seenMax - .seconds(8))
        cluster.separate(0, 1)
        cluster.drive(for: .seconds(12))
        cluster.separate(0, 1, false)
        #expect(cluster.drive(atMost: .seconds(5)) { cluster.isUp(0, 1) })
        cluster.drive(for: .seconds(5))
        let before = exchanges(cluster, [0, 1])
        cluster.drive(for: .seconds(60))
        #expect(exchanges(cluster, [0, 1]) == before)
        #expect(cluster.status(0).isCliqueComplete && cluster.status(1).isCliqueComplete)
    }

    @Test("whoever joins late does not keep alive who was gone before")
    func indirect() {
        let cluster = linked(3)
        cluster.powerOff(2)
        cluster.drive(for: .seconds(500))
        #expect(cluster.status(0).digest == cluster.status(1).digest)
        cluster.kill(1)
        cluster.restart(1, instance: 2)
        cluster.discover(0, by: 1)
        #expect(cluster.drive(atMost: .seconds(5)) { cluster.isUp(0, 1) })
        cluster.drive(for: .seconds(125))
        #expect([0, 1].map { cluster.status($0).peersAgreeingOnDigest } == [1, 1])
        let before = exchanges(cluster, [0, 1])
        cluster.drive(for: .seconds(60))
        #expect(exchanges(cluster, [0, 1]) == before)
        // Nobody lists it among those that were met.
        for node in [0, 1] { #expect(cluster.peerSnapshot(of: node, into: 2)?.isCurrent == false) }
    }

    @Test("one who is blocked is known, so that digests agree, and neither sought nor missed")
    func blocked() {
        let cluster = linked(3)
        cluster.command(0, .block(cluster.id(of: 2)))
        cluster.drive(for: .seconds(10))
        // Its record changes; who has blocked it hears of that from the third.
        cluster.command(2, .setProfile(name: SafeText("other"), role: SafeText(""), colour: 1))
        cluster.drive(for: .seconds(10))
        let before = exchanges(cluster, [0, 1, 2])
        cluster.drive(for: .seconds(60))
        #expect(exchanges(cluster, [0, 1, 2]) == before)
        #expect(cluster.status(0).digest == cluster.status(1).digest)
        #expect(cluster.status(0).peersKnown == 1)
        #expect(cluster.peer(2, at: 0)?.state == .down)
        // Allowed again, it is sought where the kept record says that it is.
        cluster.command(0, .unblock(cluster.id(of: 2)))
        #expect(cluster.drive(atMost: .seconds(3)) { cluster.peer(2, at: 0)?.state != .down })
        #expect(
            !cluster.events(0).contains {
                if case .peerProfile(cluster.id(of: 2), _, _, _) = $0 { true } else { false }
            })
    }

    @Test("who is linked with a neighbour alone counts for as long as that link stands")
    func behindNeighbour() {
        let cluster = linked(2)
        let newcomer = cluster.start(seed: 3)
        cluster.separate(newcomer, 0)
        cluster.discover(1, by: newcomer)
        cluster.discover(newcomer, by: 1)
        #expect(cluster.drive(atMost: .seconds(5)) { cluster.isUp(1, newcomer) })
        cluster.drive(for: .seconds(5))
        let before = exchanges(cluster, [1, newcomer])
        for _ in 0..<13 {
            cluster.drive(for: .seconds(59))
            #expect(cluster.peerSnapshot(of: newcomer, into: 0)?.isCurrent == true)
        }
        #expect(exchanges(cluster, [1, newcomer]) == before)
    }

    @Test("a member that asks for everything again and again is answered once a second")
    func versionsFlood() throws {
        let cluster = linked(2)
        let carrier = try #require(cluster.firstCarrier(of: 0))
        let pushed = cluster.counter(.recordsPushed, at: 0)
        for _ in 0..<100 { cluster.input(0, .carrierFrame(carrier, CarrierMessage.recordVersions([]).encoded())) }
        #expect(cluster.counter(.versionsOverRate, at: 0) == UInt64(100 - MeshLimits.versionsAnsweredBurst))
        #expect(cluster.counter(.recordsPushed, at: 0) - pushed <= UInt64(MeshLimits.versionsAnsweredBurst) * 2)
    }

    @Test("answers to who lacks more than one answer holds are not always the same ones")
    func answersTakeTurns() throws {
        let cluster = linked(2)
        let carrier = try #require(cluster.firstCarrier(of: 0))
        let count = MeshLimits.recordsPerVersionsMax + 40
        for number in 0..<count {
            let stranger = TestIdentity.record(seed: UInt64(1_000 + number))
            let source = Endpoint(address: IPAddress(v4: 10, 0, 1, UInt8(number)), port: 7400)
            cluster.input(0, .beacon(Beacon(mesh: "test", record: stranger).encoded(), from: source))
            cluster.drive(for: .milliseconds(10))
        }
        cluster.drive(for: .seconds(2))
        #expect(cluster.counter(.recordsTableFull, at: 0) == 0)
        var advertised: Set<[UInt8]> = []
        cluster.dropsFrame = { frame in
            if case .records(let records)? = try? CarrierMessage(parsing: frame, isBeforeHello: false) {
                advertised.formUnion(records.map(\.body))
            }
            return false
        }
        for _ in 0..<20 {
            cluster.input(0, .carrierFrame(carrier, CarrierMessage.recordVersions([]).encoded()))
            cluster.drive(for: MeshLimits.versionsAnsweredInterval)
        }
        #expect(advertised.count == count + 1)
    }

    @Test("of one subject a neighbour is told once a second, the newest at last")
    func newsInMeasure() throws {
        let cluster = linked(3)
        let carrier = try #require(cluster.firstCarrier(of: 0))
        let before = cluster.counter(.recordsPushed, at: 0)
        for sequence: UInt32 in 1...60 {
            let news = CarrierMessage.records([TestIdentity.record(seed: 1_000, sequence: sequence)])
            cluster.input(0, .carrierFrame(carrier, news.encoded()))
            cluster.drive(for: .milliseconds(50))
        }
        cluster.drive(for: .seconds(2))
        #expect((2...10).contains(cluster.counter(.recordsPushed, at: 0) - before))
        #expect(cluster.status(0).digest == cluster.status(2).digest)
    }

    @Test("what comes by beacon is told on in measure: all nearby have heard it")
    func newsByBeacon() {
        let cluster = linked(3)
        let before = cluster.counter(.recordsPushed, at: 0)
        let count = 4 * MeshLimits.beaconNewsBurst
        for number in 0..<count {
            let source = Endpoint(address: IPAddress(v4: 10, 0, 1, UInt8(number % 250)), port: 7400)
            let beacon = Beacon(mesh: "test", record: TestIdentity.record(seed: UInt64(1_000 + number)))
            for node in 0..<3 { cluster.input(node, .beacon(beacon.encoded(), from: source)) }
            cluster.drive(for: .milliseconds(5))
        }
        cluster.drive(for: .seconds(1))
        let advertised = cluster.counter(.recordsPushed, at: 0) - before
        #expect(advertised <= UInt64(2 * (MeshLimits.beaconNewsBurst + 8)))
        #expect(cluster.status(0).digest == cluster.status(1).digest)
    }

    @Test("who is at the door finds room among those who were only said to be met; hearsay does not")
    func room() throws {
        var roster = Roster()
        let now = Instant.zero + .seconds(1_000)
        func entry(_ seed: UInt64) throws -> RosterEntry {
            let signed = TestIdentity.record(seed: seed)
            let record = try signed.verified(with: TransparentSealing(seed: 1))
            return RosterEntry(record: record, signed: signed, learnedFrom: nil, now: now)
        }
        for seed in 1...UInt64(MeshLimits.recordsMax) {
            var known = try entry(seed)
            known.markSeen(at: now - .seconds(1))
            let hasRoom = roster.insert(known, before: nil, now: now)
            #expect(hasRoom)
        }
        let linked = (1...UInt64(MeshLimits.recordsMax - 1)).map { TestIdentity.nodeID(seed: $0) }
        let stranger = try entry(5_000)
        let isIndirectIn = roster.insert(stranger, before: nil, now: now)
        #expect(!isIndirectIn)
        let isVisitorIn = roster.insert(stranger, before: linked, now: now)
        #expect(isVisitorIn && roster[TestIdentity.nodeID(seed: UInt64(MeshLimits.recordsMax))] == nil)
        // It gives its own place to the next, and nobody else's.
        let next = try entry(5_001)
        let isNextIn = roster.insert(next, before: linked, now: now)
        #expect(isNextIn && roster[stranger.node] == nil)
    }
}
