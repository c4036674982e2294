import Mesh
import MeshSimulator
import Primitives
import Testing
import Trust

@Suite("Checkers of secrets can fail")
struct EpochCheckerTests {
    @Test("EpochsConverge finds members with different secrets, and nodes without one")
    func epochs() {
        let world = World(WorldOptions(seed: 1, names: WorldOptions.numberedNames(2)))
        world.changeCodes(among: [0, 1], until: .zero)
        let (one, other) = (CodedMesh(1, in: world), CodedMesh(2, in: world))
        world.setStanding(.member(one.mesh), of: 0)
        world.setStanding(.member(other.mesh), of: 1)
        #expect(world.epochViolation(among: [0, 1])?.checker == "EpochsConverge")
        world.setStanding(.member(one.mesh), of: 1)
        #expect(world.epochViolation(among: [0, 1]) == nil)
        for node in [0, 1] { world.setStanding(.open, of: node) }
        #expect(world.epochViolation(among: [0, 1])?.checker == "EpochsConverge", "nobody has a secret")
    }
}
