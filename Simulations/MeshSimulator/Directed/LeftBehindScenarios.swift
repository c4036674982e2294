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
        stage.need("the end of its links", within: .seconds(3)) { !$0.isLinked(2, with: [0, 1]) }
        world.setStanding(.member(CodedMesh(2, in: world).mesh), of: 2)
        var refusals = 0
        world.onEvent = { event, _ in if case .refused(_, .otherMesh) = event { refusals += 1 } }
        stage.start([2])
        stage.needApart([2], [0, 1], for: .seconds(60))
        stage.require(0 < refusals, "nobody was refused")
        stage.require(world.up.firstGap(among: [0, 1]) == nil, "the two that stay are not linked")
        for node in [0, 1] {
            stage.require(world.status(of: node)?.isLeftBehind == false, "\(node) says it was left behind")
        }
    }
}

/// A member changes the code of the mesh while none of its carriers delivers anything, and datagrams pass. No link
/// ends. The third node, which an earlier change had left behind (without the new secret), has entered again. It is
/// given the new secret, as the others are, when carriers deliver again.
package struct KeptNodesOutliveDeadConnections: DirectedScenario {
    package init() {}
    package static let promises = "I22"
    package var nodeCount: Int { 3 }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        stage.crewWithReturnedThird()
        for other in [0, 2] { world.apply(.blockStreams(1, other)) }
        world.changeCode(at: 1, to: 6, leaving: [])
        stage.needClique([0, 1, 2], for: .seconds(12))
        world.apply(.setAllRules(rule))
        stage.need("the new secret at all, and their links", within: .seconds(90)) {
            $0.shareEpoch(3, [0, 1, 2]) && $0.up.firstGap(among: [0, 1, 2]) == nil
        }
    }
}

extension DirectedStage {
    /// A crew of three. The third one was left behind and has entered again by the new code.
    fileprivate func crewWithReturnedThird() {
        crewWithoutThird(3)
        world.apply(.kill(2))
        world.setStanding(.newcomer(codeKey: world.codeKey(5), by: .mesh), of: 2)
        start([2])
        needClique([0, 1, 2], within: .seconds(60))
        advance(.seconds(3))
    }
}

/// A change of the code has left a node behind (without the new secret), and the node has entered again by the new
/// code. The next change leaves nobody behind: the linked node gets the secret, and no link ends. The change after that
/// names it as left behind: its links end, and its former secret does not let it in.
package struct ReturnedNodesAreKept: DirectedScenario {
    package init() {}
    package static let promises = "I22"
    package var nodeCount: Int { 3 }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        stage.crewWithReturnedThird()
        world.changeCode(at: 1, to: 6, leaving: [])
        stage.needClique([0, 1, 2], for: .seconds(8))
        stage.require(world.shareEpoch(3, [0, 1, 2]), "the node that has returned has no new secret")
        world.changeCode(at: 0, to: 7, leaving: [2])
        // The maker tells of the end of its link within a second.
        stage.need("the end of its links", within: .seconds(2)) { !$0.isLinked(2, with: [0, 1]) }
        stage.needApart([2], [0, 1], for: .seconds(60))
        world.apply(.kill(2))
        stage.start([2])
        stage.needApart([2], [0, 1], for: .seconds(60))
    }
}
