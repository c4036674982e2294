import Mesh
import NodeRuntime
import Primitives
import Testing
import Voice

@Suite("beeps on loss")
struct LossBeepsTests {
    private let node = NodeID(words: (1, 0, 0, 1))
    private let slot = PeerSlot(index: 0)

    private func down(_ reason: DownReason) -> MeshEvent {
        .peerDown(slot, node, .max, reason)
    }

    private var up: MeshEvent { .peerUp(slot, node, .max, name: SafeText("SM")) }

    @Test("a beep sounds for a silent peer and its return, but not for a first arrival or a good-bye")
    func lostAndBack() {
        var beeps = LossBeeps()
        #expect(beeps.beep(for: up) == nil)
        #expect(beeps.beep(for: down(.left)) == nil)
        #expect(beeps.beep(for: up) == nil)
        #expect(beeps.beep(for: down(.silent)) == .lost)
        #expect(beeps.beep(for: up) == .returned)
        #expect(beeps.beep(for: up) == nil)
    }
}
