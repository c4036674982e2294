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

    @Test("talk on a channel with a code is shown to nobody without the code; whether others are shown it is open")
    func talk() {
        let world = World(WorldOptions(seed: 1, names: WorldOptions.numberedNames(3)))
        var rule = SpeechRule(talkerCount: 0)
        rule.keyCount = 2
        world.startSpeech(rule)
        world.joinCodedChannels(until: .zero)
        for node in 0..<3 { world.apply(.start(node)) }
        world.run(until: world.now + .seconds(3))
        let channel = CodedChannelPeople.channels[0]
        for (node, code) in ([1, 2, 1] as [UInt8]).enumerated() { world.join(channel, code: code, of: node) }
        world.run(until: world.now + .seconds(5))
        world.pressSecondKey(of: 0)
        world.run(until: world.now + .seconds(10))
        func talks(at observer: Int) -> Bool? {
            world.snapshot(of: [0, 1, 2]).node(observer)?.views.first { $0.peer == 0 }?.talks
        }
        #expect(talks(at: 1) == false && talks(at: 2) == nil)
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
