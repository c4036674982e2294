import Mesh
import MeshSimulator
import Primitives
import Testing
import Wire

/// Each test does one thing to a mesh at rest that must not happen there.
@Suite("The check of the steady state can fail")
struct SteadyStateCheckTests {
    private static let core = [0, 1, 2]

    private func world(nodeCount: Int = 3) -> World {
        let world = World(WorldOptions(seed: 2, names: WorldOptions.numberedNames(nodeCount)))
        for node in 0..<nodeCount { world.apply(.start(node)) }
        world.run(until: .zero + .seconds(5))
        return world
    }

    /// - Returns: the checker that reports a violation some time after `disturb`.
    private func checker(
        in world: World, core: [Int] = Self.core, talkerCount: Int = 0, severed: SeveredPair? = nil,
        _ disturb: (World) -> Void
    ) -> String? {
        var options = SwarmOptions(seed: 2, nodeCount: world.nodeCount)
        options.severed = severed
        options.talkerCount = talkerCount
        var watch = SteadyStateCheck(world, core: core, of: options)
        disturb(world)
        world.run(until: world.now + .seconds(10))
        watch.look(at: world)
        world.run(until: world.now + SimLimits.newsMax)
        return watch.judge(world)?.checker
    }

    @Test("an undisturbed mesh has no violation, also if a node outside the core is lost for good")
    func quiet() {
        #expect(checker(in: world()) { _ in } == nil)
        let four = world(nodeCount: 4)
        four.apply(.vanish(3))
        four.run(until: four.now + .seconds(5))
        #expect(checker(in: four) { _ in } == nil)
    }

    @Test("the loss of a member is found, for good or for a while")
    func lost() {
        #expect(checker(in: world()) { $0.apply(.vanish(2)) } == "CliqueIsQuiet")
        let back = checker(in: world()) { world in
            world.apply(.kill(2))
            world.run(until: world.now + .seconds(1))
            world.apply(.start(2))
        }
        #expect(back == "CliqueIsQuiet")
    }

    @Test("an invitation within the core is found, because a new carrier needs one")
    func invited() {
        #expect(checker(in: world()) { $0.apply(.resetCarriers(0, 1)) } == "CliqueIsQuiet")
    }

    @Test("a severed pair in a tunnel may try direct dials, and an invitation is found unless the neighbour is hostile")
    func severed() {
        func checker(resetting peers: [Int], beside conducts: [HostileConduct] = []) -> String? {
            let world = world()
            if !conducts.isEmpty {
                let member = HostileMembers.Member(node: 2, conducts: conducts)
                // The member does nothing: the connection is what ends.
                world.setHostile(HostileMembers(members: [member], every: .seconds(86_400)))
            }
            world.sever(0, 1)
            // Both know at once that their old connection is dead, and agree in a tunnel before the check begins.
            world.apply(.resetCarriers(0, 1))
            world.run(until: world.now + .seconds(10))
            let core = conducts.isEmpty ? Self.core : [0, 1]
            return self.checker(in: world, core: core, severed: SeveredPair(a: 0, b: 1)) { world in
                for peer in peers {
                    world.apply(.resetCarriers(0, peer))
                    world.run(until: world.now + .seconds(5))
                }
            }
        }
        #expect(checker(resetting: []) == nil)
        // The tunnel ends with its neighbour's carrier.
        #expect(checker(resetting: [2]) == "CliqueIsQuiet")
        #expect(checker(resetting: [2], beside: [.impostor]) == "CliqueIsQuiet", "it forwards tunnels as an honest one")
        // A thief may also refuse them, so nothing promises the link.
        #expect(checker(resetting: [2], beside: [.thief]) == nil)
    }

    @Test("a node without power that stays up at a node that notices nothing is found")
    func dead() {
        let four = world(nodeCount: 4)
        let found = checker(in: four) { world in
            world.apply(.vanish(3))
            for node in Self.core { world.freezeDeadlines(of: node) }
        }
        #expect(found == "TheDeadAreDown")
    }

    @Test("a talker that is not heard is found")
    func unheard() {
        let world = world()
        world.startTalking(0, every: .milliseconds(20))
        world.run(until: world.now + .seconds(1))
        #expect(checker(in: world, talkerCount: 1) { _ in } == nil)
        #expect(checker(in: world, talkerCount: 2) { _ in } == "VoiceArrives")
    }

    @Test("news that one node has and another lacks is found, at the end and some time before")
    func ignorant() {
        let world = world()
        func rename(_ name: String) {
            world.command(.setProfile(NodeProfile(name: SafeText(name))), to: 0)
        }
        var watch = SteadyStateCheck(world, core: Self.core)
        rename("under way")
        watch.look(at: world)
        world.run(until: world.now + SimLimits.newsMax)
        #expect(watch.judge(world) == nil)
        rename("under way again")
        #expect(watch.judge(world)?.checker == "NewsArrives")
        watch.look(at: world)
        world.run(until: world.now + SimLimits.newsMax)
        watch.look(at: world)
        rename("only now")
        #expect(watch.judge(world) == nil)
    }
}
