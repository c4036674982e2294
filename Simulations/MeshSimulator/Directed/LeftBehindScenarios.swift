import Mesh
import Primitives
import Trust
import Wire

/// One of three members moves to another closed mesh. The other two refuse it, stay linked, and do not say that they
/// were left behind.
package struct MembersThatMoveLeaveNobodyBehind: DirectedScenario {
    package init() {}
    package static let promises = "I22"
    package var nodeCount: Int { 3 }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        stage.crew(3, present: [0, 1, 2])
        stage.advance(.seconds(3))
        world.apply(.kill(2))
        world.setStanding(.member(CodedMesh(2, in: world).mesh), of: 2)
        var refusals = 0
        world.onEvent = { event, _ in if case .refused(_, .otherMesh) = event { refusals += 1 } }
        stage.start([2])
        stage.needApart([2], [0, 1], for: .seconds(60))
        stage.require(0 < refusals, "nobody was refused")
        stage.require(world.up.firstGap(among: [0, 1]) == nil, "the two that stay are not linked")
        for node in [0, 1] {
            stage.require(
                world.nodes[node].core?.status(now: world.now).isLeftBehind == false, "\(node) says it was left behind")
        }
    }
}
