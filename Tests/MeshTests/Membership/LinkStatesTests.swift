import Mesh
import MeshTestKit
import Primitives
import Testing
import Wire

@Suite("Link states")
struct LinkStatesTests {
    private func entry(_ peer: UInt64, _ rttClass: UInt8, _ path: PathKind = .direct) throws -> AdvertisedLink {
        AdvertisedLink(
            peer: NodeID(words: (peer, 0, 0, 0)), instance: try #require(Instance(exactly: 1)), path: path,
            rttClass: rttClass, lossClass: 0)
    }

    @Test("advertised states plus the changes give the new states; a change by one class is not sent")
    func changes() throws {
        var random = SeededRandom(seed: 7)
        var advertised: [AdvertisedLink] = []
        var copy: [AdvertisedLink] = []
        for _ in 0..<300 {
            var row: [AdvertisedLink] = []
            for peer: UInt64 in 0..<8 where random.chance(permille: 700) {
                row.append(try entry(peer, UInt8(random.below(6)), random.chance(permille: 800) ? .direct : .relay))
            }
            let settled = row.settled(after: advertised)
            #expect(zip(row, settled).allSatisfy { $0.peer == $1.peer && $0.path == $1.path })
            #expect(zip(row, settled).allSatisfy { abs(Int($0.rttClass) - Int($1.rttClass)) <= 1 })
            copy = copy.applying(settled.changes(since: advertised))
            advertised = settled
            #expect(copy.sorted { $0.peer < $1.peer } == advertised.sorted { $0.peer < $1.peer })
            #expect(advertised.changes(since: advertised).isEmpty)
        }
        let again = [try entry(1, 4)].settled(after: [try entry(1, 3)])
        #expect(again == [try entry(1, 3)])
    }

    @Test("a new or lost link is advertised at most once a second, another path every four seconds, a flap after four")
    func pace() throws {
        let start = Instant.zero + .seconds(100)
        var rows = LinkAdvertisementSchedule()
        rows.change(now: start)
        #expect(rows.dueAt == start + MeshLimits.linkStatesDelay)
        rows.checked(now: rows.dueAt, nextCheckAt: .distantFuture)
        rows.advertise([try entry(1, 3)], now: start + MeshLimits.linkStatesDelay)
        let advertised = start + MeshLimits.linkStatesDelay
        let later = advertised + .milliseconds(300)
        rows.change(.flap, now: later)
        #expect(rows.dueAt == later + MeshLimits.linkStatesIntervalPatient)
        rows.change(.path, now: later)
        #expect(rows.dueAt == advertised + MeshLimits.linkStatesIntervalPatient)
        rows.change(now: later)
        #expect(rows.dueAt == advertised + MeshLimits.linkStatesInterval)
    }

    @Test("changes without earlier link states are counted and ignored")
    func unfounded() throws {
        let pair = MeshPair()
        let cluster = pair.cluster
        cluster.dropsFrame = { frame in
            if case .linkStates = try? CarrierMessage(parsing: frame, isBeforeHello: false) { true } else { false }
        }
        pair.discoverEachOther()
        #expect(cluster.drive(atMost: .seconds(2)) { pair.isUp })
        let carrier = try #require(cluster.firstCarrier(of: pair.follower))
        let changes = CarrierMessage.linkChanges([.advertised(try entry(7, 3))]).encoded()
        cluster.input(pair.follower, .carrierFrame(carrier, changes))
        #expect(cluster.counter(.linkChangesUnfounded, at: pair.follower) == 1)
        #expect(cluster.counter(.linkStatesUnexpected, at: pair.follower) == 0)
    }

    @Test("of a peer that floods link states few are read, but the last ones count in the end")
    func flood() throws {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        let carrier = try #require(cluster.firstCarrier(of: pair.follower))
        let row = CarrierMessage.linkStates([try entry(7, 3)]).encoded()
        for _ in 0..<200 { cluster.input(pair.follower, .carrierFrame(carrier, row)) }
        #expect(
            UInt64(200 - MeshLimits.linkStatesAcceptedBurst) <= cluster.counter(.linkStatesOverRate, at: pair.follower))
        #expect(!cluster.status(pair.follower).isCliqueComplete)
        // Finally the peer sends changes to link states that have not been read yet.
        let own = AdvertisedLink(
            peer: cluster.id(of: pair.follower), instance: try #require(Instance(exactly: 1)), path: .direct,
            rttClass: 1, lossClass: 0)
        let changes = CarrierMessage.linkChanges([.lost(try entry(7, 3).peer), .advertised(own)]).encoded()
        cluster.input(pair.follower, .carrierFrame(carrier, changes))
        #expect(cluster.counter(.linkChangesUnfounded, at: pair.follower) == 0)
        cluster.drive(for: MeshLimits.linkStatesAcceptedInterval)
        #expect(cluster.status(pair.follower).isCliqueComplete)
    }

    @Test("link states that come once, before the echo, count when the echo has come")
    func beforeEcho() {
        let pair = MeshPair()
        let cluster = pair.cluster
        // The leader gets its echo with the first datagram. The follower's echo is held back until the link states have
        // come.
        var count = 0
        cluster.dropsDatagram = { from, to, _ in
            guard (from, to) == (pair.leader, pair.follower) else { return false }
            count += 1
            return 1 < count
        }
        cluster.dropsFrame = { CarrierMessage.isDatagram($0) }
        pair.discoverEachOther()
        #expect(cluster.drive(atMost: .seconds(1)) { cluster.peer(pair.follower, at: pair.leader)?.state == .up })
        cluster.drive(for: .milliseconds(600))
        #expect(cluster.peer(pair.leader, at: pair.follower)?.state != .up)
        cluster.dropsDatagram = { _, _, _ in false }
        cluster.dropsFrame = { _ in false }
        #expect(cluster.drive(atMost: .seconds(1)) { pair.isUp })
        cluster.drive(for: .milliseconds(500))
        #expect(cluster.status(pair.follower).isCliqueComplete && cluster.status(pair.leader).isCliqueComplete)
        #expect(cluster.counter(.linkStatesUnexpected, at: pair.follower) == 0)
    }

    @Test("a peer whose link began with short-lived link states learns when the earlier states are back")
    func momentary() {
        let cluster = MeshCluster.acquainted(4)
        cluster.drive(for: .seconds(5))
        // Node 0 loses all its links within a second, and two of them come back within the next: the others see no
        // change.
        for turn in 0..<24 {
            for peer in 1..<4 { cluster.separate(0, peer) }
            cluster.drive(for: .milliseconds(1_700 + 20 * Int64(turn)))
            for peer in 1..<4 { cluster.separate(0, peer, false) }
            cluster.drive(for: .seconds(12))
            for node in 0..<4 { #expect(cluster.status(node).isCliqueComplete, "node \(node), turn \(turn)") }
        }
    }

    @Test("after links have come and gone, each node knows the link states of all others from changes alone")
    func copies() {
        let cluster = MeshCluster.acquainted(6)
        for turn in 0..<4 {
            cluster.separate(turn, turn + 2)
            cluster.drive(for: .milliseconds(2_300 + 700 * Int64(turn)))
            cluster.separate(turn, turn + 2, false)
            cluster.drive(for: .milliseconds(900))
        }
        cluster.drive(for: .seconds(12))
        #expect((0..<6).allSatisfy { cluster.status($0).isCliqueComplete })
        for index in 0..<6 {
            let matrix = cluster.status(index).matrix
            #expect(matrix.count == 6 && matrix.allSatisfy { Set($0.entries.map(\.peer)).count == 5 })
        }
    }
}
