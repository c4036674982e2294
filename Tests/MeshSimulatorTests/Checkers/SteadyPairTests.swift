import MeshSimulator
import Primitives
import Testing

@Suite("Steady pairs")
struct SteadyPairTests {
    @Test("old bytes between two nodes excuse errors of these two, and of no other pair")
    func tampered() {
        let world = World(WorldOptions(seed: 6, names: WorldOptions.numberedNames(3)))
        world.startWatching()
        for node in 0..<3 { world.apply(.start(node)) }
        world.run(until: .zero + .seconds(20))
        func judged() -> [Bool] {
            [(1, 0), (1, 2), (2, 1)].map { world.judgesErrors(of: $0.0, at: $0.1) }
        }
        #expect(judged() == [true, true, true])
        world.apply(.replay(of: 1, to: 2))
        #expect(judged() == [true, false, false])
        world.run(until: world.now + .seconds(11))
        #expect(judged() == [true, true, true])
    }
}
