import Mesh
import MeshTestKit
import Primitives
import TestKit
import Testing
import Trust
import Wire

@Suite("When peers were last seen")
struct LastSeenTests {
    private func linked(_ count: Int) -> MeshCluster {
        let cluster = MeshCluster.acquainted(count)
        cluster.drive(for: .seconds(5))
        return cluster
    }

    private func exchanges(_ cluster: MeshCluster, _ nodes: [Int]) -> UInt64 {
        nodes.reduce(0) { $0 + cluster.counter(.versionExchanges, at: $1) }
    }

    @Test("a link that is down while its peer's record would expire leaves equal digests")
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

    @Test("a node that joins late does not keep the record of a dead node alive")
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
        // Neither node lists it among the nodes that were seen.
        for node in [0, 1] { #expect(cluster.peerSnapshot(at: node, of: 2)?.isCurrent == false) }
    }

    @Test("the record of a blocked peer is kept, so that digests agree, and the peer is neither dialled nor missed")
    func blocked() {
        let cluster = linked(3)
        cluster.command(0, .block(cluster.id(of: 2)))
        cluster.drive(for: .seconds(10))
        // The record of the blocked node changes. The blocking node learns that from the third node.
        cluster.command(2, .setProfile(NodeProfile(name: SafeText("other"), colour: 1)))
        cluster.drive(for: .seconds(10))
        let before = exchanges(cluster, [0, 1, 2])
        cluster.drive(for: .seconds(60))
        #expect(exchanges(cluster, [0, 1, 2]) == before)
        #expect(cluster.status(0).digest == cluster.status(1).digest)
        #expect(cluster.status(0).peersKnown == 1)
        #expect(cluster.peer(2, at: 0)?.state == .down)
        // After the unblock the node dials it at the address in the kept record.
        cluster.command(0, .unblock(cluster.id(of: 2)))
        #expect(cluster.drive(atMost: .seconds(3)) { cluster.peer(2, at: 0)?.state != .down })
        #expect(
            !cluster.events(0).contains {
                if case .peerProfile(cluster.id(of: 2), _) = $0 { true } else { false }
            })
    }

    @Test("a node that is linked only with a neighbour stays known as long as that link is up")
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
            #expect(cluster.peerSnapshot(at: newcomer, of: 0)?.isCurrent == true)
        }
        #expect(exchanges(cluster, [1, newcomer]) == before)
    }

    @Test("a member that asks for all records again and again gets one answer a second")
    func versionsFlood() throws {
        let cluster = linked(2)
        let carrier = try #require(cluster.firstCarrier(of: 0))
        let pushed = cluster.counter(.recordsPushed, at: 0)
        for _ in 0..<100 { cluster.input(0, .carrierFrame(carrier, CarrierMessage.recordVersions([]).encoded())) }
        #expect(cluster.counter(.versionsOverRate, at: 0) == UInt64(100 - MeshLimits.versionsAnsweredBurst))
        #expect(cluster.counter(.recordsPushed, at: 0) - pushed <= UInt64(MeshLimits.versionsAnsweredBurst) * 2)
    }

    @Test("repeated answers to a node that lacks many records cover all of them in turn")
    func answersTakeTurns() {
        let mesh = ScriptedMesh { $0.capacity.recordsPerVersionsMax = 16 }
        let peer = mesh.link(2)
        let strangers = (0..<40 as Range<UInt64>).map { TestIdentity.record(seed: 1_000 + $0) }
        for (number, stranger) in strangers.enumerated() {
            let source = Endpoint(address: IPAddress(v4: 10, 0, 1, UInt8(number)), port: 7400)
            mesh.input(.beacon(Beacon(mesh: TestMesh.name, record: stranger).encoded(), from: source))
        }
        mesh.pass(.seconds(2))
        _ = peer.take()
        var advertised: Set<[UInt8]> = []
        for _ in 0..<20 {
            mesh.say(.recordVersions([]), by: peer)
            for case .records(let records) in peer.take() { advertised.formUnion(records.map(\.publicKey)) }
            mesh.pass(MeshLimits.versionsAnsweredInterval)
        }
        #expect(advertised == Set(strangers.map(\.publicKey) + [mesh.ownRecord.publicKey]))
    }

    @Test("a neighbour gets news of one subject once a second, and the newest at the end")
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

    @Test("records that come by beacon are passed on at a limited rate, because all nearby nodes have heard them")
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

    @Test("a full roster removes a record of an unlinked node for a visitor, and refuses an indirect record")
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
        // The next visitor takes the place of the first, and no other place.
        let next = try entry(5_001)
        let isNextIn = roster.insert(next, before: linked, now: now)
        #expect(isNextIn && roster[stranger.node] == nil)
    }
}
