import Mesh
import Primitives
import Trust
import Wire

/// 63 members are linked with a node. Together with its one friend they have all its slots. The friend crashes, and an
/// invented node takes its slot. When the friend returns, the two are linked again in time. Then the node itself starts
/// again, and remembers the addresses of invented nodes alone. Again the two are linked in time.
package struct SybilsKeepNoFriendOut: DirectedScenario {
    package init() {}
    package static let promises = "L8, I9"
    package var nodeCount: Int { MeshScale.peersMax + 1 }
    /// Four of the members invent nodes: together four times as many as a node has slots.
    private static let inventors = 2..<6
    package func play(_ stage: DirectedStage) {
        let (world, node, friend) = (stage.world, 0, 1)
        // They invent nothing by themselves, but only when the scenario says so.
        for sybil in 2..<nodeCount { stage.turn(sybil, [.sybil], every: .seconds(100_000)) }
        stage.assemble(Array(0..<nodeCount))
        let deathReport = DeathReport(world)
        world.apply(.vanish(friend))
        // A node that is only suspected keeps its slot.
        stage.need("the death of the friend", within: .seconds(30)) { _ in deathReport.has(node, declared: friend) }
        for inventor in Self.inventors { world.tellOfInventions(by: inventor, to: node) }
        stage.require(world.state(of: friend, at: node) == nil, "no invented node took the slot of the friend")
        stage.start([friend])
        // As after any restart (`RestartsAreTaken`): the friend dials, and its carrier gets the slot of a node that was
        // never linked.
        stage.needClique([node, friend], within: .milliseconds(2_500))
        stage.advance(.seconds(5))
        world.apply(.kill(node))
        for inventor in Self.inventors { world.rememberInventions(of: inventor, at: node) }
        stage.advance(.milliseconds(300))
        stage.start([node])
        // The bound of a restart, and the longest dial of a peer that was never linked (`MeshLimits.newPeerDialMax`):
        // the node's first dials all go to invented nodes.
        stage.needClique([node, friend], within: .seconds(4))
    }
}

extension World {
    /// Lets a sybil tell a node of as many invented nodes as the node takes from one peer at once.
    fileprivate func tellOfInventions(by sybil: Int, to node: Int) {
        guard let member = nodes[sybil].hostile else { return }
        for number in 0..<MeshLimits.newIdentitiesBurst {
            let invention = member.invent(with: options.sealing)
            let told = record(of: invention, at: [deadEndpoint(number)])
            lie(CarrierMessage.records([told]).encoded(), from: sybil, to: node)
        }
    }

    /// Writes the inventions of a sybil to a node's disk, as if each of them had been linked with the node.
    fileprivate func rememberInventions(of sybil: Int, at node: Int) {
        for (number, invention) in (nodes[sybil].hostile?.inventions ?? []).enumerated() {
            let hint = PeerHint(source: .remembered, node: invention.nodeID, endpoints: [deadEndpoint(number)])
            nodes[node].remember(hint)
        }
    }

    /// Returns an address where nobody answers: hosts move this far in no scenario.
    private func deadEndpoint(_ number: Int) -> Endpoint {
        Endpoint(address: SimHost.address(index: number, site: 0, move: 200), port: SimLimits.port)
    }
}
