import Mesh
import MeshTestKit
import Primitives
import Testing
import Trust

@Suite("Re-key")
struct RekeyTests {
    @Test("the leader renews the keys every two minutes, and no voice packet is lost")
    func nothingLost() {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        var spoken = 0
        cluster.drive(for: .seconds(115))
        // Both nodes talk without a pause across the change of keys.
        for number in 0..<2_000 {
            let payload = [UInt8(number >> 8), UInt8(number & 255)]
            cluster.speak(0, to: 1, payload)
            cluster.speak(1, to: 0, payload)
            spoken += 1
            cluster.drive(for: .milliseconds(5))
        }
        cluster.drive(for: .milliseconds(10))
        #expect(cluster.counter(.rekeys, at: 0) == 1)
        #expect(cluster.counter(.rekeys, at: 1) == 1)
        #expect(cluster.members[0].voices.count == spoken)
        #expect(cluster.members[1].voices.count == spoken)
        #expect(cluster.counter(.datagramsUnknownKey, at: 0) + cluster.counter(.datagramsUnknownKey, at: 1) == 0)
        #expect(cluster.counter(.datagramsExpiredKey, at: 0) + cluster.counter(.datagramsExpiredKey, at: 1) == 0)
    }

    @Test(
        "a late answer to the first of two offers is not taken for an answer to the second")
    func lateAnswer() {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        cluster.drive(for: MediaKeyLimits.generationAge - MediaKeyLimits.rekeyMargin - .milliseconds(600))
        cluster.speak(pair.follower, to: pair.leader, [0])
        cluster.drive(for: .milliseconds(20))
        // Both offers wait for the paused follower, which is not dead yet. It then answers one after the other.
        cluster.pause(
            pair.follower, for: MeshLimits.controlInterval + MeshLimits.rekeyAnswerMax + .milliseconds(200))
        cluster.drive(for: .seconds(2))
        #expect(pair.isUp)
        #expect(cluster.counter(.keyOffersStale, at: pair.leader) == 1)
        #expect(cluster.counter(.rekeys, at: pair.leader) == 1 && cluster.counter(.rekeys, at: pair.follower) == 1)
        cluster.speak(pair.leader, to: pair.follower, [1])
        cluster.speak(pair.follower, to: pair.leader, [2])
        cluster.drive(for: .seconds(20))
        #expect(cluster.members[pair.follower].voices.map(\.payload) == [[1]])
        #expect(cluster.members[pair.leader].voices.map(\.payload) == [[0], [2]])
        #expect(cluster.counter(.datagramsForged, at: 0) + cluster.counter(.datagramsForged, at: 1) == 0)
        #expect(pair.isUp)
    }

    @Test("a link survives an hour of re-keys without interruption")
    func hour() {
        let pair = MeshPair.linked()
        pair.cluster.drive(for: .seconds(3_600))
        #expect(pair.isUp)
        #expect((29...34).contains(pair.cluster.counter(.rekeys, at: 0)))
        #expect(!pair.cluster.events(0).contains { if case .peerDown = $0 { true } else { false } })
        #expect(!pair.cluster.events(0).contains { if case .peerVerifying = $0 { true } else { false } })
    }
}
