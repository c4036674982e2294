import MeshSimulator
import Primitives
import Testing

/// A stall is excused where the world proves that there was no way, and nowhere else.
@Suite("Stalls are excused by proof")
struct UnreachabilityProofTests {
    private func world(_ count: Int) -> World {
        let world = World(WorldOptions(seed: 9, names: WorldOptions.numberedNames(count)))
        for node in 0..<count { world.apply(.start(node)) }
        return world
    }

    private func sever(_ a: Int, _ b: Int, in world: World) {
        world.apply(.cut(from: a, to: b))
        world.apply(.cut(from: b, to: a))
    }

    @Test("a pair that is cut off is excused where no neighbour has connections to both")
    func noRoute() {
        let world = world(3)
        #expect(UnreachabilityProof(between: 0, and: 2, in: world) == nil)
        sever(0, 2, in: world)
        #expect(UnreachabilityProof(between: 0, and: 2, in: world) == nil, "their neighbour reaches both")
        world.apply(.cut(from: 1, to: 2))
        #expect(UnreachabilityProof(between: 0, and: 2, in: world) == .noRoute(0, 2))
        #expect(UnreachabilityProof(between: 0, and: 1, in: world) == nil)
    }

    @Test("a firewall for connections is a proof, one for datagrams is none; nor is a chain of two neighbours a way")
    func firewalls() {
        let pair = world(2)
        pair.apply(.blockDatagrams(0, 1))
        #expect(UnreachabilityProof(between: 0, and: 1, in: pair) == nil)
        pair.apply(.blockStreams(0, 1))
        #expect(UnreachabilityProof(between: 0, and: 1, in: pair) == .noRoute(0, 1))
        let chain = world(4)
        for (a, b) in [(0, 2), (0, 3), (1, 3)] { sever(a, b, in: chain) }
        #expect(UnreachabilityProof(between: 0, and: 3, in: chain) == .noRoute(0, 3))
        #expect(UnreachabilityProof(between: 0, and: 2, in: chain) == nil)
    }

    @Test("who should run and is off excuses nothing, and a neighbour that is off is no way")
    func off() {
        let world = world(3)
        sever(0, 2, in: world)
        world.apply(.kill(1))
        #expect(UnreachabilityProof(between: 0, and: 2, in: world) == .noRoute(0, 2))
        #expect(UnreachabilityProof(between: 0, and: 1, in: world) == nil)
    }

    @Test("an act whose severed pair nobody can bring together converges without it, and not without anybody else")
    func acts() throws {
        var options = SwarmOptions(seed: 4, nodeCount: 2)
        options.faultKinds = []
        options.lostNodes = []
        options.severed = SeveredPair(a: 0, b: 1)
        let proved = TwoActs(options, sealing: WorldOptions.transparentSealing).run()
        #expect(proved.violation == nil)
        // With a third there is a way: where that one never learns of them, the stall is nobody's but the mesh's.
        options = SwarmOptions(seed: 4, nodeCount: 3)
        options.faultKinds = []
        options.lostNodes = []
        options.severed = SeveredPair(a: 0, b: 1)
        #expect(TwoActs(options, sealing: WorldOptions.transparentSealing).run().violation == nil)
        options.discovery = DiscoveryRule(hasBeacon: false, hasDirectory: false)
        let stalled = TwoActs(options, sealing: WorldOptions.transparentSealing).run()
        #expect(stalled.violation?.checker == "CliqueCompletes")
    }
}
