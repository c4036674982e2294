import Mesh
import Primitives

/// A node that gets too little processor time suspects no peer. This holds if all nodes of a mesh wait for their turns
/// on one processor, and if some nodes read too seldom beside healthy ones.
package struct StarvedNodesAccuseNobody: DirectedScenario {
    package init() {}
    package static let promises = "L12, I12"
    package var nodeCount: Int { 8 }

    package func play(_ stage: DirectedStage) {
        let world = stage.world
        stage.assemble(Array(0..<8))
        let all = FalseVerdictCount(about: 0..<8, in: world)
        var random = SeededRandom(seed: world.options.seed)
        for node in 0..<8 { world.starve(node, until: world.now + .seconds(30), using: &random) }
        stage.advance(.seconds(30))
        stage.require(all.deaths == 0, "\(all.deaths) declared dead in a starved fleet")
        stage.require(all.links == 0, "\(all.links) links lost in a starved fleet")
        stage.needClique(Array(0..<8), within: .seconds(5))
        // Eight nodes, so that the kernel's queue holds everything that they send in this time.
        let healthy = FalseVerdictCount(about: 3..<8, in: world)
        for node in 0..<3 {
            let first = world.now + random.interval(in: .zero...(.seconds(8)))
            world.schedule(.slow(node, by: .seconds(8), reading: .milliseconds(50)), at: first)
        }
        stage.advance(.seconds(80))
        stage.require(healthy.deaths == 0, "\(healthy.deaths) healthy ones declared dead by slow readers")
        stage.require(healthy.linksAtHealthy == 0, "\(healthy.linksAtHealthy) links between healthy ones lost")
        for node in 0..<3 { world.apply(.slow(node, by: .zero, reading: .zero)) }
        stage.needClique(Array(0..<8), within: SimLimits.convergenceMax)
    }
}
