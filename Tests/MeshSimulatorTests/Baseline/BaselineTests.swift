import MeshSimulator
import Primitives
import Testing

@Suite("The baseline protocol")
struct BaselineTests {
    private func world(_ count: Int) -> World {
        World(WorldOptions(seed: 3, names: WorldOptions.numberedNames(count), nodeKind: .baseline))
    }

    private func clique(_ count: Int) -> World {
        let world = world(count)
        for node in 0..<count { world.apply(.start(node)) }
        _ = world.timeToClique(Array(0..<count), since: world.now, within: .seconds(10))
        world.run(until: world.now + .seconds(20))
        return world
    }

    @Test("nodes that discover one another become a clique, and stay one")
    func forms() {
        let world = clique(6)
        #expect(world.up.firstGap(among: Array(0..<6)) == nil)
        let dials = world.counts.dials
        world.run(until: world.now + .seconds(60))
        #expect(world.up.firstGap(among: Array(0..<6)) == nil)
        #expect(world.counts.dials == dials)
    }

    @Test("a pair of which the follower alone discovers is never linked")
    func oneWay() {
        let world = world(2)
        let leader = world.network.hosts[1].node < world.network.hosts[0].node ? 0 : 1
        world.apply(.setHearing(false, listener: leader, subject: 1 - leader))
        for node in 0..<2 { world.apply(.start(node)) }
        #expect(world.timeToClique([0, 1], since: world.now, within: .seconds(120)) == nil)
    }

    @Test("a heartbeat repairs a hole within its ten seconds")
    func hole() {
        let world = world(3)
        world.apply(.setHearing(false, listener: 0, subject: 2))
        world.apply(.setHearing(false, listener: 2, subject: 0))
        for node in 0..<3 { world.apply(.start(node)) }
        #expect(world.timeToClique([0, 1, 2], since: world.now, within: .seconds(13)) != nil)
    }

    @Test("five failures with one peer that vanished cost the links between the others")
    func collateral() {
        let world = clique(4)
        let losses = LossCount(world, about: { $0 != 0 }, at: { $0 != 0 })
        world.apply(.vanish(0))
        world.run(until: world.now + .seconds(120))
        #expect(0 < losses.count)
    }

    @Test("a node whose counter was rolled back is a ghost for good")
    func lockOut() {
        let world = clique(3)
        for _ in 0..<2 {
            world.apply(.kill(0))
            world.apply(.start(0))
            world.run(until: world.now + .seconds(20))
        }
        #expect(world.up.firstGap(among: [0, 1, 2]) == nil)
        world.apply(.kill(0))
        world.apply(.rollBack(0, by: 2))
        world.apply(.start(0))
        #expect(world.timeToClique([0, 1, 2], since: world.now, within: .seconds(120)) == nil)
    }

    @Test("messages survive their encoding, and have the length of their JSON")
    func codec() throws {
        let instance = try #require(Instance(exactly: 7))
        let listed = [UInt64(1), 2, 3].map {
            BaselineMessage.Listed(
                node: NodeID(words: ($0, 2, 3, 4)),
                endpoint: Endpoint(address: IPAddress(v4: 10, 0, 0, UInt8($0)), port: 7_400))
        }
        for message in [BaselineMessage.handshake(instance), .heartbeat(instance, connected: listed)] {
            #expect(BaselineMessage(message.bytes) == message)
        }
        #expect(BaselineMessage.heartbeat(instance, connected: listed).bytes.count == 176 + 3 * 39)
        #expect(BaselineMessage([0xF0, 1]) == nil)
    }
}
