import Mesh
import Primitives

/// A node refuses a dialler from beyond its own networks, and sends it the reason. When the user gives the address of
/// the dialler to the node too (`--peer`), the two become linked.
package struct DiallersBeyondReachAreRefused: DirectedScenario {
    package init() {}
    package static let promises = "I9"
    package var nodeCount: Int { 2 }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        world.setSite(1, of: 1)
        world.keepToOwnNetworks(1)
        world.addStaticPeer(1, to: 0)
        stage.start([0, 1])
        stage.need("a refusal at 1", within: .seconds(2)) { 0 < $0.counted(.carriersOffLink, at: 1) }
        stage.advance(.seconds(20))
        stage.require(world.up.upInstance(of: 0, at: 1) == nil, "1 is linked with 0, which is beyond its networks")
        world.apply(.kill(1))
        world.addStaticPeer(0, to: 1)
        world.apply(.start(1))
        stage.needClique([0, 1], within: SimLimits.convergenceMax)
    }
}

/// A node changes its channels twenty times at once. It sends its peer a few lists of them, and each further one only
/// when the peer holds an earlier one. The last list arrives.
package struct LateChannelListsHold: DirectedScenario {
    package init() {}
    package static let promises = "I9"
    package var nodeCount: Int { 2 }
    /// More lists than a peer takes at once.
    private static let changes: UInt64 = 20
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1])
        let world = stage.world
        for change in 1...Self.changes { world.command(.setChannels([ChannelID(high: 0, low: change)]), to: 0) }
        stage.advance(.milliseconds(500))
        stage.require(world.counted(.channelsOverRate, at: 1) == 0, "the lists were sent faster than 1 takes them")
        stage.needChannels([ChannelID(high: 0, low: Self.changes)], of: 0, at: 1)
    }
}

/// A member changes its channels all the time, as a script without a pause does. Its peer takes as many lists as its
/// allowance admits and drops the others. The last list arrives.
package struct HurriedChannelListsAreBounded: DirectedScenario {
    package init() {}
    package static let promises = "I9"
    package var nodeCount: Int { 2 }
    private static let changes: UInt64 = 200
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1])
        let world = stage.world
        for change in 1...Self.changes {
            world.command(.setChannels([SimLimits.channel, ChannelID(high: 0, low: change)]), to: 0)
            stage.advance(.milliseconds(50))
        }
        stage.require(0 < world.counted(.channelsOverRate, at: 1), "1 took every list")
        stage.needChannels([SimLimits.channel, ChannelID(high: 0, low: Self.changes)], of: 0, at: 1)
    }
}

extension DirectedStage {
    /// Requires that `observer` learns within two seconds that `node` listens to these channels and to no others.
    fileprivate func needChannels(_ channels: [ChannelID], of node: Int, at observer: Int) {
        need("the last list at \(observer)", within: .seconds(2)) { world in
            let peer = world.status(of: observer)?.peers.first { $0.node == world.network.hosts[node].node }
            return peer?.channels == channels
        }
    }
}
