import MeshSimulator
import Primitives
import Testing
import Trust

/// A stall is excused only if the world proves that there was no route.
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

    @Test("a pair that is cut off is excused if no neighbour has connections to both")
    func noRoute() {
        let world = world(3)
        #expect(UnreachabilityProof(between: 0, and: 2, in: world) == nil)
        sever(0, 2, in: world)
        #expect(UnreachabilityProof(between: 0, and: 2, in: world) == nil, "their neighbour reaches both")
        world.apply(.cut(from: 1, to: 2))
        #expect(UnreachabilityProof(between: 0, and: 2, in: world) == .noRoute(0, 2))
        #expect(UnreachabilityProof(between: 0, and: 1, in: world) == nil)
    }

    @Test("a firewall for connections is a proof, one for datagrams is not, and a chain of two neighbours is no route")
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

    @Test("a stopped node that should run excuses nothing, and a stopped neighbour is no route")
    func off() {
        let world = world(3)
        sever(0, 2, in: world)
        world.apply(.kill(1))
        #expect(UnreachabilityProof(between: 0, and: 2, in: world) == .noRoute(0, 2))
        #expect(UnreachabilityProof(between: 0, and: 1, in: world) == nil)
    }

    @Test("a stranger is no route, and a newcomer with the code is one")
    func strangers() {
        func third(_ standing: (World) -> MeshStanding) -> UnreachabilityProof? {
            let world = World(WorldOptions(seed: 9, names: WorldOptions.numberedNames(3)))
            let crew = CodedMesh(1, in: world)
            for node in [0, 2] { world.setStanding(.member(crew.mesh), of: node) }
            world.setStanding(standing(world), of: 1)
            for node in 0..<3 { world.apply(.start(node)) }
            sever(0, 2, in: world)
            return UnreachabilityProof(between: 0, and: 2, in: world)
        }
        #expect(third { .newcomer(codeKey: CodedMesh(1, in: $0).codeKey, by: .mesh) } == nil)
        #expect(third { .member(CodedMesh(1, in: $0).mesh) } == nil)
        #expect(third { _ in .open } == .noRoute(0, 2))
        #expect(third { .member(CodedMesh(2, in: $0).mesh) } == .noRoute(0, 2))
        #expect(third { .newcomer(codeKey: CodedMesh(2, in: $0).codeKey, by: .mesh) } == .noRoute(0, 2))
    }

    @Test("an act converges without a severed pair that has no route, and fails if a route exists")
    func acts() throws {
        var options = SwarmOptions(seed: 4, nodeCount: 2)
        options.faultKinds = []
        options.lostNodes = []
        options.severed = SeveredPair(a: 0, b: 1)
        let proved = TwoActs(options, sealing: WorldOptions.transparentSealing).run()
        #expect(proved.violation == nil)
        // With a third node there is a route. If that node never learns of the pair, the stall is the fault of the
        // mesh.
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
