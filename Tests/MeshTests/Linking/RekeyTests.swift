import Mesh
import Primitives
import TestKit
import Testing

@Suite("Re-key")
struct RekeyTests {
    @Test("the leader renews the keys every two minutes, and no voice packet is lost over it")
    func nothingLost() {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        var spoken = 0
        cluster.drive(for: .seconds(115))
        // Talking without a pause across the change, in both directions.
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

    @Test("a link lives through an hour of re-keys without a gap")
    func hour() {
        let pair = MeshPair.linked()
        pair.cluster.drive(for: .seconds(3_600))
        #expect(pair.isUp)
        #expect((29...34).contains(pair.cluster.counter(.rekeys, at: 0)))
        #expect(!pair.cluster.events(0).contains { if case .peerDown = $0 { true } else { false } })
        #expect(!pair.cluster.events(0).contains { if case .peerVerifying = $0 { true } else { false } })
    }
}
