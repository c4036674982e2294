import ControlPlane
import Testing

@Suite("Event gate")
struct EventGateTests {
    @Test("no event is encoded while nobody listens")
    func nobody() {
        let gate = EventGate()
        #expect(!gate.enter())
        gate.subscribed()
        #expect(gate.enter())
        gate.leave()
        gate.unsubscribed()
        #expect(!gate.enter())
    }

    @Test("few events wait, whatever their number; what leaves makes room")
    func bound() {
        let gate = EventGate()
        gate.subscribed()
        let entered = (0..<10_000).count { _ in gate.enter() }
        #expect(entered == ControlLimits.eventsWaitingMax)
        gate.leave()
        #expect(gate.enter())
        #expect(!gate.enter())
    }
}
