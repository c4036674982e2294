import Mesh
import MeshSimulator
import Primitives
import Testing

@Suite("Checkers of codes can fail")
struct CodeCheckerTests {
    private func world() -> World {
        let world = World(WorldOptions(seed: 1, names: WorldOptions.numberedNames(2)))
        for node in 0..<2 { world.apply(.start(node)) }
        return world
    }

    @Test("CodesAreProved finds a node that lacks one with the same code, and one that knows another code's node")
    func proofs() throws {
        let world = world()
        world.joinCodedChannels(until: .zero)
        world.run(until: world.now + .seconds(5))
        let channel = CodedChannelPeople.channels[0]
        for node in 0..<2 { world.join(channel, code: 1, of: node) }
        #expect(try #require(world.firstCodeGap(among: [0, 1])).isShared)
        world.run(until: world.now + .seconds(3))
        #expect(world.firstCodeGap(among: [0, 1]) == nil)
        // The other node's list still has the channel.
        world.join(channel, code: 2, of: 1)
        let gap = try #require(world.firstCodeGap(among: [0, 1]))
        #expect(!gap.isShared && gap.violation(in: world).kind == .safety)
        world.run(until: world.now + .seconds(3))
        #expect(world.firstCodeGap(among: [0, 1]) == nil)
    }
}
