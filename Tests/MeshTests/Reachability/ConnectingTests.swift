import Mesh
import MeshTestKit
import Primitives
import TestKit
import Testing
import Wire

@Suite("Dials of peers by NodeID")
struct ConnectingTests {
    private let guest = FindingBench.led[0]
    private func at(_ hosts: [UInt8]) -> [Endpoint] { hosts.map { FindingBench.at($0) } }
    private func refused(_ dial: FindingBench.Dial) -> MeshInput { .dialFailed(dial.id, .refused) }

    @Test("the leader dials at a hint, the follower 300 to 600 ms later; both want the peer for ten minutes")
    func first() {
        let bench = FindingBench()
        let start = bench.now
        bench.hint(guest, at([9]))
        #expect(bench.dials.map(\.to) == at([9]))
        let leader = FindingBench.leading[0]
        bench.hint(leader, at([8]))
        #expect(bench.dials(expecting: leader).isEmpty)
        for seed in [guest, leader] { #expect(bench.peerSnapshot(seed).link?.wantedUntil == start + .seconds(600)) }
        bench.drive(for: .seconds(1))
        let times = bench.dials(expecting: leader).map { $0.at - start }
        #expect(times.count == 1 && times.allSatisfy { .milliseconds(300) <= $0 && $0 <= .milliseconds(600) })
    }

    @Test("hints of the node itself and of blocked peers are ignored")
    func notWanted() {
        let blocked = FindingBench.led[1]
        let bench = FindingBench { $0.blocked = [TestIdentity.nodeID(seed: blocked)] }
        bench.hint(1, at([8]))
        bench.hint(blocked, at([9]))
        bench.drive(for: .seconds(2))
        #expect(bench.dials.isEmpty && bench.peerSnapshot(1).link == nil && bench.peerSnapshot(blocked).link == nil)
    }

    @Test("after a failed dial the next address follows at once, and the attempt fails with the last dial")
    func failures() {
        let bench = FindingBench()
        let start = bench.now
        bench.hint(guest, at([7, 8, 9]))
        bench.drive(for: .milliseconds(100))
        bench.input(.dialFailed(bench.dials[0].id, .refused))
        bench.drive(for: .milliseconds(300))
        #expect(bench.dials.map { $0.at - start } == [.zero, .milliseconds(100), .milliseconds(350)])
        bench.input(.dialFailed(bench.dials[1].id, .unreachable))
        #expect(bench.counter(.attemptsFailed) == 0)
        #expect(bench.peerSnapshot(guest).link?.dials.inProgress == [bench.dials[2].id])
        bench.input(.dialFailed(bench.dials[2].id, .handshake))
        #expect(bench.counter(.attemptsFailed) == 1)
        #expect(bench.status(guest)?.lastFailure == "dial: handshake")
        #expect(bench.counter(.dialsFailed) == 3 && bench.counter(.dialsStarted) == 3)
    }

    @Test("a carrier that opens cancels the other dials, and no further address is dialled")
    func opened() {
        let bench = FindingBench()
        bench.hint(guest, at([6, 7, 8, 9]))
        bench.drive(for: .milliseconds(500))
        #expect(bench.dials.count == 3)
        bench.open(1, by: guest, dial: bench.dials[1].id, from: bench.dials[1].to)
        #expect(bench.cancelled == [bench.dials[0].id, bench.dials[2].id])
        #expect(bench.peerSnapshot(guest).link?.dials == DialPlan())
        bench.drive(for: .seconds(2))
        #expect(bench.dials.count == 3)
    }

    @Test("if the peer has connected itself, a failed dial of the node is no failed attempt")
    func crossed() {
        let bench = FindingBench()
        bench.hint(guest, at([9]))
        bench.open(1, by: guest)
        bench.input(.dialFailed(bench.dials[0].id, .refused))
        #expect(bench.counter(.attemptsFailed) == 0)
        #expect(bench.status(guest)?.state == .connecting)
    }

    @Test("a dial of a new peer without an answer ends after one and a half seconds")
    func slow() {
        let bench = FindingBench()
        bench.hint(guest, (20..<30).map { FindingBench.at($0) })
        bench.drive(for: .milliseconds(1_490))
        #expect(bench.dials.count == 6 && bench.counter(.dialsFailed) == 0)
        bench.drive(for: .milliseconds(20))
        #expect(bench.cancelled == [bench.dials[0].id] && bench.counter(.dialsFailed) == 1)
        let other = FindingBench()
        other.hint(guest, at([9]))
        other.drive(for: .seconds(3))
        #expect(other.status(guest)?.lastFailure == "dial: timedOut")
        #expect(other.counter(.attemptsFailed) == 1)
    }

    @Test(
        "an address at which another node answers is not dialled for a minute; after other failures it is tried again",
        arguments: [
            (.unreachable, 0, 0), (.refused, 0, 0), (.timedOut, 0, 0), (.handshake, 0, 0), (.otherIdentity, 0, 1),
            (.own, 1, 0),
        ] as [(DialFailure, UInt64, UInt64)])
    func causes(failure: DialFailure, own: UInt64, others: UInt64) {
        let bench = FindingBench()
        let start = bench.now
        bench.hint(guest, at([9]))
        bench.answer = { .dialFailed($0.id, .refused) }
        bench.input(.dialFailed(bench.dials[0].id, failure))
        #expect(bench.counter(.dialsFailed) == 1)
        #expect(bench.counter(.dialsToSelf) == own && bench.counter(.dialsToOthers) == others)
        bench.drive(for: .seconds(59))
        let isWrong = own + others == 1
        #expect((bench.dials.count == 1) == isWrong)
        bench.drive(for: .seconds(60))
        #expect(bench.dials.dropFirst().allSatisfy { !isWrong || start + .seconds(60) <= $0.at })
        #expect(1 < bench.dials.count)
    }

    @Test("an address outside the own networks is dialled at most once in thirty seconds")
    func offLink() throws {
        let far = Endpoint(address: IPAddress(v4: 10, 9, 9, 9), port: 7400)
        let bench = FindingBench {
            $0.reachablePrefixes = [AddressPrefix(address: IPAddress(v4: 10, 9, 0, 0), length: 16)]
        }
        bench.answer = refused
        bench.hint(guest, [far])
        bench.drive(for: .seconds(100))
        #expect((2...4).contains(bench.dials.count))
        #expect(zip(bench.dials.dropFirst(), bench.dials).allSatisfy { .seconds(30) <= $0.at - $1.at })
    }

    @Test("if too many dials wait, first, further and given addresses take turns")
    func turns() throws {
        let bench = FindingBench { $0.staticPeers = at([80, 81, 82]) }
        bench.drive(for: .zero)
        let given = bench.dials.count
        // The given addresses are due again after half a second at most.
        for dial in bench.dials { bench.input(.dialFailed(dial.id, .unreachable)) }
        for (place, seed) in FindingBench.led.prefix(8).enumerated() {
            bench.hint(seed, [FindingBench.at(40 + UInt8(place)), FindingBench.at(20 + UInt8(place))])
            bench.drive(for: .milliseconds(10))
        }
        bench.drive(for: .milliseconds(600))
        for (place, seed) in FindingBench.led.dropFirst(8).prefix(8).enumerated() {
            bench.hint(seed, at([60 + UInt8(place)]))
        }
        let first = bench.dials.dropFirst(given)
        #expect(first.map(\.to) == at(Array(20..<28)))
        for number in 0..<11 {
            bench.input(.dialFailed(bench.dials[given + number].id, .unreachable))
            bench.drive(for: .milliseconds(1))
        }
        let dialled = bench.dials.dropFirst(given + 8).map(\.to)
        // The given addresses come in any order.
        let turns = dialled.map { at([80, 81, 82]).contains($0) ? FindingBench.at(80) : $0 }
        #expect(turns == at([80, 60, 40, 61, 80, 62, 41, 63, 80, 64, 42]))
        #expect(Set(dialled).count == dialled.count)
    }

    @Test("a node that has dialled sets its next deadline later than now")
    func wake() {
        let bench = FindingBench()
        bench.hint(guest, at([8, 9]))
        bench.drive(for: .milliseconds(500)) { bench.dials.count == 2 }
        #expect(bench.deadline.map { bench.now < $0 } == true)
    }

    // MARK: Waits that end early

    private func newBoot(_ instance: UInt64) -> SignedRecord {
        FindingBench.record(of: guest, instance: instance, at: at([9]))
    }

    @Test("a new boot ends a wait, at most once in two seconds")
    func newBoots() {
        let bench = FindingBench()
        bench.answer = refused
        bench.beacon(newBoot(1), from: 9)
        bench.drive(for: .seconds(3)) { bench.counter(.attemptsFailed) == 3 }
        let dials = bench.dials.count
        #expect(bench.counter(.cooldownsCut) == 0)
        bench.beacon(newBoot(2), from: 9)
        #expect(bench.dials.count == dials + 1 && bench.counter(.cooldownsCut) == 1)
        #expect(bench.peerSnapshot(guest).link?.wantedUntil == bench.now + .seconds(600))
        bench.drive(for: .milliseconds(100))
        bench.beacon(newBoot(3), from: 9)
        #expect(bench.dials.count == dials + 1 && bench.counter(.cooldownsCut) == 1)
    }

    @Test("a wait that has just ended is not cut, and the due attempt follows")
    func dueNow() throws {
        let bench = FindingBench()
        bench.answer = refused
        bench.beacon(newBoot(1), from: 9)
        bench.drive(for: .seconds(1)) { bench.counter(.attemptsFailed) == 1 }
        bench.wait(until: try #require(bench.status(guest)?.retryAt))
        bench.beacon(newBoot(2), from: 9)
        #expect(bench.counter(.cooldownsCut) == 0)
        let dials = bench.dials.count
        bench.drive(for: .zero)
        #expect(bench.dials.count == dials + 1)
    }

    @Test("a new boot ends a quarantine too")
    func quarantined() {
        let bench = FindingBench()
        bench.answer = refused
        bench.hint(guest, at([9]))
        bench.drive(for: .seconds(20)) { bench.status(guest)?.state == .quarantined }
        let dials = bench.dials.count
        #expect(bench.status(guest)?.failures == 5)
        bench.beacon(newBoot(2), from: 9)
        #expect(bench.dials.count == dials + 1 && bench.counter(.cooldownsCut) == 1)
    }

    @Test("a neighbour is asked for a tunnel when the peer's last address has failed, and not before")
    func lastAddress() throws {
        let cluster = MeshCluster()
        for seed in 1...3 as ClosedRange<UInt64> { cluster.start(seed: seed) }
        cluster.separate(0, 1)
        let nowhere = PeerHint(source: .avahi, node: cluster.id(of: 1), endpoints: at([77]))
        cluster.input(0, .discovered(nowhere))
        for end in 0...1 { cluster.discover(2, by: end) }
        #expect(cluster.drive(atMost: .seconds(5)) { !cluster.members[0].tunnelDials.isEmpty })
        let asked = cluster.members[0].tunnelDials[0]
        let before = cluster.members[0].dials.suffix(2)
        #expect(before.map { asked - $0.at } == [.milliseconds(4), .milliseconds(2)])
        #expect(Set(before.map(\.endpoint)) == [cluster.endpoint(of: 1), FindingBench.at(77)])
    }

    // MARK: Slots

    @Test("of peers that have connected and not sent HELLO, the one whose carrier is the oldest makes room")
    func fullDoor() {
        let bench = FindingBench()
        for (place, seed) in FindingBench.led.prefix(64).enumerated() {
            bench.open(UInt64(1 + place), by: seed)
            bench.drive(for: .milliseconds(1))
        }
        #expect(bench.counter(.peersTableFull) == 0)
        bench.open(1_000, by: FindingBench.led[64])
        #expect(bench.counter(.peersTableFull) == 0 && bench.closed == [CarrierID(number: 1)])
        #expect(bench.peerSnapshot(FindingBench.led[0]).link == nil)
    }

    /// All 64 slots are taken by wanted peers, and a beacon brings the record of one more.
    private func fullBench(_ record: SignedRecord) -> FindingBench {
        let bench = FindingBench()
        for (place, seed) in FindingBench.led.prefix(64).enumerated() { bench.hint(seed, at([UInt8(100 + place)])) }
        bench.beacon(record, from: 9)
        return bench
    }

    @Test("a peer that gets a slot later is dialled at the address in its record, unless it has left")
    func laterSlot() {
        let late = FindingBench.led[70]
        for isLeaving in [false, true] {
            let bench = fullBench(FindingBench.record(of: late, at: at([9]), isLeaving: isLeaving))
            #expect(bench.peerSnapshot(late).known != nil && bench.peerSnapshot(late).link == nil)
            #expect(bench.counter(.peersTableFull) == (isLeaving ? 0 : 1))
            bench.input(.command(.block(TestIdentity.nodeID(seed: FindingBench.led[3]))))
            bench.hint(late, at([8]))
            let hosts = bench.peerSnapshot(late).link?.addresses.entries.map(\.endpoint)
            #expect(hosts == at(isLeaving ? [8] : [9, 8]))
            #expect(bench.peerSnapshot(FindingBench.led[3]).link == nil)
        }
    }

    @Test("of peers without a carrier in use, one that is not wanted goes first, then one that waits for a decision")
    func whoGoes() {
        func left(_ prepare: (FindingBench) -> Void) -> [UInt64] {
            let friend = TestIdentity.nodeID(seed: FindingBench.led[70])
            let bench = FindingBench { $0.admissionPolicy = .ask(known: [friend]) }
            for (place, seed) in FindingBench.led.prefix(64).enumerated() {
                bench.open(UInt64(1 + place), by: seed)
                bench.greet(UInt64(1 + place), by: seed)
            }
            prepare(bench)
            bench.open(1_000, by: FindingBench.led[70])
            return FindingBench.led.prefix(64).filter { bench.peerSnapshot($0).link == nil }
        }
        let (a, b) = (FindingBench.led[10], FindingBench.led[20])
        func block(_ bench: FindingBench) { bench.input(.command(.block(TestIdentity.nodeID(seed: b)))) }
        #expect(left { $0.close(11) } == [a])
        #expect(
            left { bench in
                bench.close(11)
                block(bench)
            } == [b])
        #expect(left { _ in } == [FindingBench.led[0]])
    }
}
