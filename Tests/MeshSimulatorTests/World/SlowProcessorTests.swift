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

    @Test("goes on giving verdicts while it reads nothing; a stopped process gives none")
    func timersRunOn() {
        let slow = pair()
        slow.blockMessages(of: 0, for: .seconds(4))
        slow.run(until: slow.now + .seconds(3))
        #expect(!slow.up.isUp(1, at: 0))
        let stopped = pair()
        stopped.apply(.pause(0, for: .seconds(4)))
        stopped.run(until: stopped.now + .seconds(3))
        #expect(stopped.up.isUp(1, at: 0))
    }

    @Test("reads in order what waited, and loses no link over a moment")
    func catchesUp() {
        let world = pair()
        let losses = LossCount(world)
        for _ in 0..<10 {
            world.blockMessages(of: 0, for: .milliseconds(800))
            world.run(until: world.now + .seconds(1))
        }
        #expect(losses.count == 0)
        #expect(world.violation == nil)
    }
}
