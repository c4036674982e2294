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

    @Test("of a peer that floods link states few are used, but the last ones count in the end")
    func flood() throws {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        let carrier = try #require(cluster.firstCarrier(of: pair.follower))
        for round in 1...200 as ClosedRange<UInt16> {
            let states = CarrierMessage.linkStates([try entry(UInt64(round), 3)], generation: 1_000 + round)
            cluster.input(pair.follower, .carrierFrame(carrier, states.encoded()))
        }
        #expect(
            UInt64(200 - MeshLimits.linkStatesAcceptedBurst) <= cluster.counter(.linkStatesOverRate, at: pair.follower))
        #expect(!cluster.status(pair.follower).isCliqueComplete)
        // The true peer sees that another generation is held than its own, and sends its link states again. The first
        // time may be above the allowance still.
        #expect(cluster.drive(atMost: .milliseconds(1_300)) { cluster.status(pair.follower).isCliqueComplete })
        #expect(1...2 ~= cluster.counter(.viewsResent, at: pair.leader))
    }

    @Test("link states that come before the echo count when the echo has come")
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
        cluster.dropsFrame = { FrameKind(of: $0) == .datagram }
        pair.discoverEachOther()
        #expect(cluster.drive(atMost: .seconds(1)) { cluster.peer(pair.follower, at: pair.leader)?.state == .up })
        cluster.drive(for: .milliseconds(600))
        #expect(cluster.peer(pair.leader, at: pair.follower)?.state != .up)
        cluster.dropsDatagram = { _, _, _ in false }
        cluster.dropsFrame = { _ in false }
        #expect(cluster.drive(atMost: .seconds(1)) { pair.isUp })
        cluster.drive(for: .milliseconds(500))
        #expect(cluster.status(pair.follower).isCliqueComplete && cluster.status(pair.leader).isCliqueComplete)
        #expect(cluster.counter(.framesUnexpected, at: pair.follower) == 0)
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

    @Test("after links have come and gone, each node knows the link states of all others")
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
