import Mesh
import Primitives
import Testing
import Wire

@Suite("Control blocks that leave by time")
struct HeartbeatTests {
    private let stage = PuppetStage()

    /// Times of probes during `wait`, in milliseconds from now.
    private func probes(_ puppet: Puppet, for wait: Interval, where isCounted: (Puppet.Way) -> Bool) -> [Int64] {
        let (start, before) = (stage.now, puppet.blocks.count)
        stage.pass(wait)
        return puppet.blocks.dropFirst(before).filter { $0.block.flags.contains(.probe) && isCounted($0.route) }
            .map { ($0.at - start).milliseconds }
    }

    @Test("a session whose link went down is probed after 0.5 s, then 1 s and 2 s apart")
    func asleep() {
        let puppet = stage.link()
        #expect(stage.events.contains { if case .peerUp = $0 { true } else { false } })
        stage.pass(.milliseconds(1_500))
        #expect(puppet.status?.state == .down)
        let blocks = stage.counter(.controlBlocksSent)
        let direct = probes(puppet, for: .seconds(4)) { $0.endpoint == puppet.home }
        #expect(direct == [500, 1_500, 3_500])
        #expect(stage.counter(.controlBlocksSent) == blocks, "a link that is down has no heartbeat")
        // An answer brings the link up at once, and the heartbeat goes on at that instant.
        puppet.send(.control())
        #expect(puppet.status?.state == .up && stage.nextDeadline?.at == stage.now)
    }

    @Test("a candidate is probed every 100 ms until an echo comes, and from the third probe on inside the carrier too")
    func candidate() {
        let puppet = stage.agree()
        let (start, count) = (stage.now, puppet.blocks.count)
        #expect(count == 1 && puppet.blocks[0].at == start && puppet.blocks[0].block.flags == .probe)
        stage.pass(.milliseconds(450))
        let isCarrier = puppet.blocks.map(\.route.isCarrier)
        #expect(isCarrier == [false, false, false, true, false, true, false, true])
        let times = puppet.blocks.map { ($0.at - start).milliseconds }
        #expect(times == [0, 100, 200, 200, 300, 300, 400, 400])
        puppet.send(.control(), by: .carrier)
        #expect(puppet.status?.state == .up && puppet.status?.path == .carrier)
        #expect(probes(puppet, for: .milliseconds(300)) { _ in true }.isEmpty)
    }

    @Test("at a heartbeat a path that stopped answering yields to one that answers, and neighbours are asked too")
    func yields() {
        let (puppet, other) = (stage.link(), stage.link())
        other.answers = { _ in true }
        other.advertiseLinks([puppet])
        stage.pass(.milliseconds(600))
        puppet.send(.control(echo: 0, flags: .probe), by: .carrier)
        puppet.send(.control(), by: .carrier)
        #expect(puppet.status?.path == .direct && puppet.path(.neighbour(other.id)) == nil)
        stage.pass(.milliseconds(610))
        #expect(puppet.status?.path == .carrier && puppet.status?.state == .up)
        #expect(puppet.path(.neighbour(other.id))?.askedAt != nil)
    }

    @Test("while voice that goes through the carrier brings the control blocks along, neighbours are asked too")
    func asksWhileTalking() {
        let (puppet, other) = (stage.link(), stage.link())
        puppet.answers = { $0.isCarrier }
        other.answers = { _ in true }
        stage.pass(.milliseconds(1_200))
        other.advertiseLinks([puppet])
        #expect(puppet.status?.path == .carrier && puppet.path(.neighbour(other.id)) == nil)
        for _ in 0..<50 {
            stage.input(.voice([1], to: puppet.slot))
            stage.pass(.milliseconds(20))
        }
        #expect(puppet.status?.state == .up && puppet.path(.neighbour(other.id))?.askedAt != nil)
    }
}
