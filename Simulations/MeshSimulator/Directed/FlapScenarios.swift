import Mesh
import Primitives

/// A node is away for 4 s and there for 4 s, ten times. After the third time each other node reports at most two
/// changes. At most a minute after the last change, the node is up everywhere, and no peer shows it as flapping.
package struct FlappersAreDamped: DirectedScenario {
    package init() {}
    package static let promises = "L11"
    package var nodeCount: Int { 4 }
    package func play(_ stage: DirectedStage) {
        let everybody = Array(0..<nodeCount)
        stage.assemble(everybody)
        let seen = EventsAbout(3, in: stage.world)
        for turn in 1...10 {
            stage.world.apply(.partition(0b1000))
            stage.advance(.seconds(4))
            stage.world.apply(.mendAll)
            if turn == 3 { seen.reset() }
            stage.advance(.seconds(4))
        }
        stage.require(seen.most <= 2, "\(seen.most) changes of a flapping link reported within 56 s")
        stage.require(seen.lossesOfOthers == 0, "\(seen.lossesOfOthers) other links lost because of a flapping link")
        // The last 4 s of the minute have already passed.
        stage.need("a peer that no longer flaps is shown as steady", within: .seconds(56)) { world in
            world.up.firstGap(among: everybody) == nil && (0..<3).allSatisfy { !world.isUnsteady(3, at: $0) }
        }
    }
}

extension World {
    fileprivate func isUnsteady(_ peer: Int, at observer: Int) -> Bool {
        let node = network.hosts[peer].node
        return status(of: observer)?.peers.first { $0.node == node }?.isFlapping ?? true
    }
}
