import Mesh
import MeshTestKit
import Primitives
import TestKit
import Testing
import Trust
import Wire

@Suite("Arriving beacons")
struct BeaconArrivalTests {
    private let guest = FindingBench.led[0]

    private func addresses(_ bench: FindingBench) -> [UInt64: PeerHint.Source] {
        let entries = bench.peerSnapshot(guest).link?.addresses.entries ?? []
        return Dictionary(uniqueKeysWithValues: entries.map { (UInt64($0.endpoint.address.v4 ?? 0) & 0xFF, $0.source) })
    }

    private func record(
        instance: UInt64 = 1, boot: UInt64? = nil, sequence: UInt32 = 1, host: UInt8 = 50, isLeaving: Bool = false
    ) -> SignedRecord {
        FindingBench.record(
            of: guest, instance: instance, boot: boot, sequence: sequence, at: [FindingBench.at(host)],
            isLeaving: isLeaving)
    }

    private func counts(_ bench: FindingBench) -> [UInt64] {
        [.beaconsMalformed, .beaconsOtherMesh, .beaconsForged, .beaconsOverRate].map { bench.counter($0) }
    }

    @Test("are dialled at the addresses in the record, and at their source with the record's port")
    func dialled() {
        let bench = FindingBench()
        bench.answer = { .dialFailed($0.id, .refused) }
        bench.beacon(record(), from: 60)
        #expect(addresses(bench) == [50: .gossip, 60: .beacon])
        #expect(bench.peerSnapshot(guest).link?.addresses.entries.allSatisfy { $0.endpoint.port == 7400 } == true)
        #expect(bench.peerSnapshot(guest).link?.status.presence == .unmet)
        bench.drive(for: .seconds(2))
        #expect(Set(bench.dials.map(\.to)) == [FindingBench.at(50), FindingBench.at(60)])
        // The same record comes from another source. Then a newer record comes, which withdraws no source.
        bench.beacon(record(), from: 61)
        #expect(addresses(bench) == [50: .gossip, 60: .beacon, 61: .beacon])
        bench.beacon(record(sequence: 2, host: 51), from: 61)
        #expect(addresses(bench) == [51: .gossip, 60: .beacon, 61: .beacon])
        #expect(counts(bench) == [0, 0, 0, 0])
    }

    @Test("whose record names no address in reach are dialled at their source at once, and no attempt fails")
    func dialledAtSource() {
        let bench = FindingBench()
        let far = Endpoint(address: IPAddress(v4: 203, 0, 113, 5), port: 7400)
        bench.beacon(FindingBench.record(of: guest, at: [far]), from: 60)
        #expect(bench.dials.map(\.to) == [FindingBench.at(60)])
        #expect(bench.counter(.attemptsFailed) == 0)
    }

    @Test("that are malformed, of another mesh or forged are counted and ignored")
    func refused() {
        let bench = FindingBench()
        bench.input(.beacon([1, 2, 3], from: FindingBench.at(9)))
        #expect(counts(bench) == [1, 0, 0, 0])
        bench.beacon(record(), from: 9, mesh: "other")
        #expect(counts(bench) == [1, 1, 0, 0])
        var forged = record()
        forged.signature[3] ^= 1
        bench.beacon(forged, from: 9)
        #expect(counts(bench) == [1, 1, 1, 0])
        bench.beacon(FindingBench.record(of: guest, at: []), from: 9)
        #expect(counts(bench) == [1, 1, 1, 0])
        #expect(bench.dials.isEmpty)
    }

    @Test(
        "of another node with this identity show it until a minute after the last one, whatever its instance",
        arguments: [UInt64(1), 7])
    func duplicate(instance: UInt64) {
        let bench = FindingBench()
        let start = bench.now
        let record = FindingBench.record(of: 1, instance: instance, boot: 99)
        bench.beacon(record, from: 60)
        #expect(bench.duplicate == nil, "the last one of the node's own former start may come late")
        bench.drive(for: .milliseconds(600))
        bench.beacon(record, from: 60)
        #expect(bench.duplicate?.address == FindingBench.at(60).address && bench.duplicate?.since == start)
        bench.drive(for: .seconds(59))
        #expect(bench.duplicate != nil)
        bench.beacon(FindingBench.record(of: 1, instance: instance, boot: 99, sequence: 2), from: 61)
        #expect(bench.duplicate?.address == FindingBench.at(61).address && bench.duplicate?.since == start)
        bench.drive(for: .seconds(60))
        #expect(bench.duplicate == nil, "it is gone")
        #expect(bench.dials.isEmpty)
        // The first three beacons of a start take longer than the least time, and one in 10 s keeps a duplicate seen.
        let firstThree = MeshLimits.beaconSecond.lowerBound + MeshLimits.beaconThird.lowerBound
        #expect(MeshLimits.duplicateSteadyMin < firstThree)
        #expect(MeshLimits.beaconInterval.upperBound * 3 < MeshLimits.duplicateKept)
    }

    @Test("of the node itself, or known already, use no check")
    func free() throws {
        let bench = FindingBench()
        let cluster = MeshCluster()
        cluster.start(seed: 1, beaconEnabled: true)
        cluster.drive(for: .seconds(1))
        let own = try #require(cluster.members[0].beacons.first).bytes
        for _ in 0..<20 { cluster.input(0, .beacon(own, from: cluster.endpoint(of: 0))) }
        for _ in 0..<20 { bench.beacon(record(), from: 60) }
        #expect(cluster.counter(.beaconsOverRate, at: 0) == 0 && cluster.counter(.beaconsSent, at: 0) == 3)
        #expect(counts(bench) == [0, 0, 0, 0])
        // The first beacon of the guest was checked, so its source has 15 checks left.
        for seed in FindingBench.leading.prefix(2) {
            for sequence: UInt32 in 1...8 { bench.beacon(FindingBench.record(of: seed, sequence: sequence), from: 60) }
        }
        #expect(counts(bench) == [0, 0, 0, 1])
    }

    @Test("of a blocked peer cause no dial")
    func blocked() {
        let bench = FindingBench { $0.blocked = [TestIdentity.nodeID(seed: guest)] }
        for _ in 0..<2 { bench.beacon(record(), from: 60) }
        #expect(bench.peerSnapshot(guest).known != nil && bench.peerSnapshot(guest).link == nil && bench.dials.isEmpty)
    }

    @Test("of a peer that has left cause no dial, but one dial for another boot, even under a lower instance")
    func left() {
        for (instance, boot, isDialled) in [(5, 105, false), (5, 7, true), (4, 7, true)] as [(UInt64, UInt64, Bool)] {
            let bench = FindingBench()
            bench.answer = { .dialFailed($0.id, .refused) }
            bench.beacon(record(instance: 5, boot: 105, sequence: 2, isLeaving: true), from: 60)
            #expect(bench.peerSnapshot(guest).link == nil)
            bench.beacon(record(instance: instance, boot: boot), from: 60)
            #expect((bench.peerSnapshot(guest).link?.status.presence == .left) == isDialled)
            bench.drive(for: .seconds(60))
            #expect(bench.dials.count == (isDialled ? 1 : 0), "\(instance) \(boot)")
            #expect(bench.counter(.ghostRecords) == (instance < 5 ? 1 : 0))
        }
    }

    @Test("of a lower instance than the known one still add their source address, unless the known one has left")
    func older() {
        let bench = FindingBench()
        bench.beacon(record(instance: 5), from: 60)
        bench.beacon(record(instance: 4, host: 51), from: 61)
        #expect(addresses(bench) == [50: .gossip, 60: .beacon, 61: .beacon])
        #expect(bench.counter(.ghostRecords) == 1)
    }

    @Test("for which no slot is free make the node's own beacon due soon, once in ten seconds")
    func noSlot() {
        let bench = FindingBench { $0.beaconEnabled = true }
        for (place, seed) in FindingBench.led.prefix(64).enumerated() {
            bench.hint(seed, [FindingBench.at(UInt8(100 + place))])
        }
        bench.drive(for: .seconds(15))
        let before = bench.beacons.count
        func bring(_ place: Int) {
            let (host, seed) = (UInt8(60 + place), FindingBench.led[70 + place])
            bench.beacon(FindingBench.record(of: seed, at: [FindingBench.at(host)]), from: host)
            #expect(bench.peerSnapshot(seed).link == nil)
        }
        bring(0)
        bench.drive(for: .milliseconds(200))
        #expect(bench.beacons.count == before + 1)
        for place in 1...4 {
            bring(place)
            bench.drive(for: .seconds(2))
            #expect(bench.beacons.count == before + 1)
        }
        // The next one is due at its usual time, and so may another one be soon.
        bench.drive(for: .seconds(2))
        #expect(bench.beacons.count == before + 2)
        bring(5)
        bench.drive(for: .milliseconds(2_200))
        #expect(bench.beacons.count == before + 3)
    }

    @Test("make the node's own beacon due soon if the sender has to wait because all dials hang", arguments: [7, 8])
    func dialsHang(hanging: Int) {
        let bench = FindingBench { $0.beaconEnabled = true }
        bench.drive(for: .seconds(15))
        let before = bench.beacons.count
        for (place, seed) in FindingBench.led.prefix(hanging).enumerated() {
            bench.hint(seed, [FindingBench.at(UInt8(100 + place))])
        }
        bench.beacon(FindingBench.record(of: FindingBench.led[70], at: [FindingBench.at(60)]), from: 60)
        bench.drive(for: .milliseconds(200))
        let isDialled = bench.dials.contains { $0.to == FindingBench.at(60) }
        #expect(isDialled == (hanging < MeshLimits.dialsAtOnceMax))
        #expect(bench.beacons.count == before + (isDialled ? 0 : 1))
    }

    @Test("go on at their usual pace from every node of an incomplete clique")
    func incomplete() throws {
        let cluster = MeshCluster()
        let seeds = (1...3).sorted { TestIdentity.nodeID(seed: $0) < TestIdentity.nodeID(seed: $1) }
        // The last node admits only the second one, so the first knows of a node that it cannot link with.
        let middle = TestIdentity.nodeID(seed: seeds[1])
        for seed in seeds {
            cluster.start(
                seed: seed, admissionPolicy: seed == seeds[2] ? .allowList([middle]) : .open, beaconEnabled: true)
        }
        cluster.drive(for: .seconds(10))
        #expect(cluster.isUp(0, 1) && cluster.isUp(1, 2) && !cluster.isUp(0, 2))
        let before = cluster.members.map(\.beacons.count)
        cluster.drive(for: .seconds(40))
        for index in 0..<3 { #expect((3...5).contains(cluster.members[index].beacons.count - before[index])) }
    }
}
