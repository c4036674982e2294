import MeshSimulator
import Primitives
import Testing

@Suite("A slow processor")
struct SlowProcessorTests {
    private func pair() -> World {
        let world = World(WorldOptions(seed: 5, names: WorldOptions.numberedNames(2)))
        for node in 0..<2 { world.apply(.start(node)) }
        world.run(until: .zero + .seconds(5))
        return world
    }

    @Test("reaches verdicts while it reads nothing, and a stopped process reaches none")
    func timersRunOn() {
        let slow = pair()
        slow.apply(.slow(0, by: .seconds(4), reading: .seconds(1)))
        slow.run(until: slow.now + .seconds(3))
        #expect(!slow.up.isUp(1, at: 0))
        let stopped = pair()
        stopped.apply(.pause(0, for: .seconds(4)))
        stopped.run(until: stopped.now + .seconds(3))
        #expect(stopped.up.isUp(1, at: 0))
    }

    @Test("reads waiting datagrams in order, and a short delay costs no link")
    func catchesUp() {
        let world = pair()
        let losses = LossCount(world)
        world.apply(.slow(0, by: .milliseconds(800), reading: .milliseconds(200)))
        world.run(until: world.now + .seconds(10))
        #expect(losses.count == 0)
        #expect(world.violation == nil)
    }

    @Test("stays slow until it is freed, also through a restart, and then reads all waiting datagrams at once")
    func freed() {
        let world = pair()
        world.apply(.slow(0, by: .seconds(20), reading: .milliseconds(50)))
        world.apply(.kill(0))
        world.apply(.start(0))
        world.run(until: world.now + .seconds(6))
        #expect(!world.up.isUp(1, at: 0))
        world.apply(.slow(0, by: .zero, reading: .zero))
        world.run(until: world.now + .seconds(2))
        #expect(world.up.isUp(1, at: 0))
        world.run(until: world.now + .seconds(30))
        #expect(world.up.isUp(1, at: 0))
    }
}
