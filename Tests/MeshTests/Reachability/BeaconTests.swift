import Mesh
import MeshTestKit
import Primitives
import Testing
import Trust
import Wire

@Suite("The beacon")
struct BeaconTests {
    @Test("nodes find each other by beacon alone; in a complete clique only the greatest node sends, twice a minute")
    func findAndQuiet() {
        let cluster = MeshCluster()
        for seed in 1...3 { cluster.start(seed: UInt64(seed), beaconEnabled: true) }
        #expect(
            cluster.drive(atMost: .milliseconds(1_500)) { (0..<3).allSatisfy { cluster.status($0).isCliqueComplete } })
        cluster.drive(for: .seconds(11))
        let counts = cluster.members.map(\.beacons.count)
        cluster.drive(for: .seconds(60))
        let greatest = (0..<3).max { cluster.id(of: $0) < cluster.id(of: $1) }
        for index in 0..<3 {
            let more = cluster.members[index].beacons.count - counts[index]
            #expect(index == greatest ? (1...3).contains(more) : more == 0)
        }
    }

    @Test(
        "a node that is told so sends no beacon and still finds others; told otherwise it sends three at once"
    )
    func silenced() {
        let cluster = MeshCluster()
        cluster.start(seed: 1, beaconEnabled: true)
        cluster.command(0, .setBeacons(false))
        let before = cluster.members[0].beacons.count
        cluster.drive(for: .seconds(30))
        #expect(cluster.members[0].beacons.count == before)
        cluster.command(0, .setBeacons(true))
        let start = cluster.now
        cluster.drive(for: .seconds(2))
        #expect(cluster.members[0].beacons.dropFirst(before).count { $0.at - start <= .seconds(1) } == 3)
        cluster.command(0, .setBeacons(true))
        cluster.drive(for: .seconds(2))
        #expect(cluster.members[0].beacons.count == before + 3, "no second start")
        cluster.command(0, .setBeacons(false))
        cluster.start(seed: 2, beaconEnabled: true)
        #expect(cluster.drive(atMost: .seconds(2)) { cluster.status(0).isCliqueComplete })
        #expect(cluster.members[0].beacons.count == before + 3)
    }

    @Test("two complete cliques without a link between them find each other within the announcer's interval")
    func cliquesMeet() {
        let cluster = MeshCluster()
        for seed in 1...4 { cluster.start(seed: UInt64(seed), beaconEnabled: true) }
        for a in 0..<2 { for b in 2..<4 { cluster.separate(a, b) } }
        cluster.drive(for: .seconds(30))
        #expect((0..<4).allSatisfy { cluster.status($0).isCliqueComplete && cluster.status($0).peersKnown == 1 })
        for a in 0..<2 { for b in 2..<4 { cluster.separate(a, b, false) } }
        #expect(
            cluster.drive(atMost: .seconds(40)) {
                (0..<4).allSatisfy { cluster.status($0).isCliqueComplete && cluster.status($0).peersKnown == 3 }
            })
    }

    @Test("all members dial a newcomer that they hear by beacon, as leader and as follower")
    func newcomer() {
        let cluster = MeshCluster()
        cluster.start(seed: 1)
        cluster.start(seed: 2)
        cluster.discover(1, by: 0)
        cluster.drive(atMost: .seconds(1)) { cluster.isUp(0, 1) }
        cluster.start(seed: 3, beaconEnabled: true)
        #expect(cluster.drive(atMost: .seconds(1)) { cluster.isUp(0, 2) && cluster.isUp(1, 2) })
    }

    @Test(
        "a peer that left and restarts is found by its beacon, even with a lower counter; an old beacon causes no dial",
        arguments: [5, 2])
    func rolledBackAfterLeave(instance: UInt64) throws {
        let cluster = MeshCluster()
        cluster.start(seed: 1)
        cluster.start(seed: 2, instance: 5, beaconEnabled: true)
        #expect(cluster.drive(atMost: .seconds(1)) { cluster.isUp(0, 1) })
        let before = try #require(cluster.members[1].beacons.first)
        cluster.command(1, .leave)
        cluster.drive(for: .seconds(1))
        #expect(cluster.peer(1, at: 0)?.state == .down)
        let dials = cluster.members[0].dials.count
        cluster.input(0, .beacon(before.bytes, from: cluster.endpoint(of: 1)))
        cluster.drive(for: .seconds(2))
        #expect(cluster.members[0].dials.count == dials)
        // This is another boot, and it does not know its former peer. Under a lower instance it has to advance first.
        cluster.restart(1, instance: instance)
        #expect(cluster.drive(atMost: instance == 5 ? .seconds(1) : .seconds(15)) { cluster.isUp(0, 1) })
        #expect(dials < cluster.members[0].dials.count)
    }

    @Test("forged and foreign beacons are counted and cause no dial")
    func forged() throws {
        let cluster = MeshCluster()
        cluster.start(seed: 1)
        let stranger = TransparentSealing(seed: 2)
        let record = NodeRecord(
            node: stranger.nodeID, instance: try #require(Instance(exactly: 1)), bootNonce: BootNonce(number: 1),
            sequence: 1,
            endpoints: [cluster.endpoint(of: 1)], profile: NodeProfile(name: SafeText("x")), isLeaving: false)
        var signed = SignedRecord(signing: record, with: stranger)
        let foreign = Beacon(mesh: "other", record: signed).encoded()
        signed.signature[0] ^= 1
        let forged = Beacon(mesh: "test", record: signed).encoded()
        cluster.input(0, .beacon(forged, from: cluster.endpoint(of: 1)))
        cluster.input(0, .beacon(foreign, from: cluster.endpoint(of: 1)))
        cluster.drive(for: .seconds(2))
        #expect(cluster.counter(.beaconsForged, at: 0) == 1)
        #expect(cluster.counter(.beaconsOtherMesh, at: 0) == 1)
        #expect(cluster.members[0].dials.isEmpty)
        #expect(cluster.status(0).peersKnown == 0)
    }
}
