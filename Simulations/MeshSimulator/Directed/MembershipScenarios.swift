import Mesh
import Primitives
import Wire

/// All nodes start within a second, and all become linked.
package struct CliqueFormsInTime: DirectedScenario {
    package init() {}
    package static let promises = "L1"
    package var nodeCount: Int { 16 }
    package func play(_ stage: DirectedStage) {
        for node in 0..<nodeCount {
            stage.world.schedule(.start(node), at: .zero + .milliseconds(Int64(node * 60)))
        }
        stage.advance(.milliseconds(Int64(nodeCount * 60)))
        stage.needClique(Array(0..<nodeCount), within: .seconds(4))
    }
}

/// One node joins twelve.
package struct NewcomerIsLinkedInTime: DirectedScenario {
    package init() {}
    package static let promises = "L2"
    package var nodeCount: Int { 13 }
    package func play(_ stage: DirectedStage) {
        stage.assemble(Array(0..<12))
        stage.start([12])
        stage.needClique(Array(0..<13), within: .milliseconds(2_500))
    }
}

/// Two nodes that cannot discover each other have a common neighbour.
package struct HolesAreRepaired: DirectedScenario {
    package init() {}
    package static let promises = "L3"
    package var nodeCount: Int { 3 }
    package func play(_ stage: DirectedStage) {
        stage.world.apply(.setHearing(false, listener: 0, subject: 2))
        stage.world.apply(.setHearing(false, listener: 2, subject: 0))
        stage.start([0, 2])
        stage.advance(.seconds(5))
        stage.start([1])
        stage.needClique([0, 1, 2], within: .milliseconds(3_500))
    }
}

/// Two halves of a mesh were apart for a minute.
package struct PartitionsHeal: DirectedScenario {
    package init() {}
    package static let promises = "L6"
    package var nodeCount: Int { 8 }
    package func play(_ stage: DirectedStage) {
        stage.assemble(Array(0..<8))
        stage.world.apply(.partition(0b1111))
        stage.advance(.seconds(60))
        stage.world.apply(.mendAll)
        stage.needClique(Array(0..<8), within: .seconds(10))
    }
}

/// A node that leaves is gone everywhere at once, and stays gone. No node dials it afterwards without a new hint.
package struct LeavesAreKnown: DirectedScenario {
    package init() {}
    package static let promises = "L7, I6"
    package var nodeCount: Int { 4 }
    package func play(_ stage: DirectedStage) {
        // Nodes 0 and 3 are linked by a tunnel. When node 3 leaves, it sends nothing more through the tunnel, so node 0
        // learns of it from a neighbour.
        stage.world.apply(.blockStreams(0, 3))
        stage.assemble([0, 1, 2, 3])
        stage.world.apply(.leave(3))
        stage.need("3 gone everywhere", within: .milliseconds(500)) { world in
            (0..<3).allSatisfy { world.up.upInstance(of: 3, at: $0) == nil }
        }
        let dials = stage.world.counts.dials
        stage.advance(.seconds(30))
        stage.require(stage.world.counts.dials == dials, "a peer that has left is still dialled")
        // A hint of the directory may arrive late.
        for node in 0..<3 { stage.world.mislead(node, about: 3, to: 3) }
        stage.advance(.seconds(60))
        let late = stage.world.counts.dials - dials
        stage.require(late <= 3, "\(late) dials after three late hints of one that has left")
    }
}

/// After a restart the links of the new life replace those of the earlier life.
package struct RestartsAreTaken: DirectedScenario {
    package init() {}
    package static let promises = "L8, I2"
    package var nodeCount: Int { 4 }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1, 2, 3])
        for node in [0, 3] {
            stage.world.apply(.vanish(node))
            stage.advance(.milliseconds(300))
            stage.start([node])
            stage.needClique([0, 1, 2, 3], within: .milliseconds(2_500))
            stage.advance(.seconds(3))
            stage.require(
                stage.world.snapshot(of: [0, 1, 2, 3]).violation() == nil, "links with an instance that is gone")
        }
    }
}

/// A node restarts after its counter was rolled back.
package struct RolledBackRestartsAreTaken: DirectedScenario {
    package init() {}
    package static let promises = "L8b"
    package var nodeCount: Int { 4 }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1, 2, 3])
        for _ in 0..<3 {
            stage.world.apply(.kill(1))
            stage.start([1])
            stage.advance(.seconds(5))
        }
        stage.world.apply(.kill(1))
        stage.world.apply(.rollBack(1, by: 3))
        stage.advance(.seconds(3))
        // The links of the other nodes stay up meanwhile. The restored node raises its instance counter, and its
        // sessions go on under the higher instance, without new handshakes.
        stage.talking([0, 2, 3]) {
            stage.start([1])
            stage.needClique([0, 1, 2, 3], within: .seconds(6))
            stage.advance(.seconds(3))
        }
    }
}

/// Six nodes that cannot reach each other have each seen another instance of a seventh. Then the seventh's counter is
/// rolled back below all of them. The seventh advances above one memory after the other: a few times at once, then at a
/// limited rate. None of the six refuses it for ever.
package struct EveryMemoryIsOutgrown: DirectedScenario {
    package init() {}
    package static let promises = "I5, L8b"
    package var nodeCount: Int { 7 }
    package func play(_ stage: DirectedStage) {
        let restored = 6
        let others = 0..<restored
        stage.rememberApart(restored, by: others)
        let advances = stage.world.counts.advances
        stage.start([restored])
        for other in others {
            stage.world.join(restored, other)
            stage.advance(.seconds(8))
        }
        stage.need("links with all nodes that remember it", within: .seconds(180)) { world in
            others.allSatisfy { world.up.firstGap(among: [restored, $0]) == nil }
        }
        let count = stage.world.counts.advances - advances
        stage.require(4 < count, "\(count) advances: the limited rate was not reached")
    }
}

/// When the network between two nodes is mended, any wait between them ends.
package struct WaitsEndWithTheirCause: DirectedScenario {
    package init() {}
    package static let promises = "L9"
    package var nodeCount: Int { 2 }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1])
        stage.world.sever(0, 1)
        // The two boots never had a session, so they have nothing to probe, and they have no common neighbour to ask.
        // They can only dial, and the dials fail.
        for node in [0, 1] {
            stage.world.apply(.kill(node))
            stage.start([node])
        }
        stage.advance(.seconds(25))
        stage.world.apply(.mendAll)
        stage.needClique([0, 1], within: .seconds(35))
    }
}

/// Six nodes reach each other only through a seventh, which forwards tunnels for at most eight of their fifteen pairs.
/// The other pairs cannot link until the network is mended, and even then each node of such a pair may wait long before
/// it dials the other. Connect requests through the seventh node end that wait.
package struct QuarantineEndsByConnectRequest: DirectedScenario {
    package init() {}
    package static let promises = "L9"
    package var nodeCount: Int { 7 }
    package func play(_ stage: DirectedStage) {
        stage.world.isolate(0..<6)
        stage.start(Array(0..<7))
        var seconds = 0
        while seconds < 60, !hasMutualQuarantine(stage.world) {
            stage.advance(.seconds(1))
            seconds += 1
        }
        stage.require(hasMutualQuarantine(stage.world), "no pair in which each has quarantined the other")
        stage.world.apply(.mendAll)
        stage.needClique(Array(0..<7), within: .milliseconds(4_500))
    }

    private func hasMutualQuarantine(_ world: World) -> Bool {
        (0..<6).contains { a in
            (0..<a).contains { b in
                world.state(of: b, at: a) == .quarantined && world.state(of: a, at: b) == .quarantined
            }
        }
    }
}

/// Of two nodes only the follower discovers the other.
package struct OneWayDiscoverySuffices: DirectedScenario {
    package init() {}
    package static let promises = "L14"
    package var nodeCount: Int { 2 }
    package func play(_ stage: DirectedStage) {
        let zeroLeads = stage.world.network.hosts[1].node < stage.world.network.hosts[0].node
        stage.world.apply(.setHearing(false, listener: zeroLeads ? 0 : 1, subject: zeroLeads ? 1 : 0))
        stage.start([0, 1])
        stage.needClique([0, 1], within: .seconds(4))
    }
}

/// Every node learns the name of every other node within seconds, also after a change.
package struct NewsReachesEverybody: DirectedScenario {
    package init() {}
    package static let promises = "L3, L7"
    package var nodeCount: Int { 6 }
    package func play(_ stage: DirectedStage) {
        stage.assemble(Array(0..<6))
        stage.need("one digest everywhere", within: .seconds(3)) { Self.isAgreed($0) }
        stage.world.command(
            .setProfile(NodeProfile(name: SafeText("renamed"), role: SafeText("guest"), colour: 7)), to: 2)
        stage.need("the new name everywhere", within: .seconds(3)) { Self.isAgreed($0) && Self.isNamed($0) }
        // While node 2 gets new carriers it can push nothing. The comparison of versions repairs that.
        for other in 0..<6 where other != 2 { stage.world.apply(.resetCarriers(2, other)) }
        stage.world.command(
            .setProfile(NodeProfile(name: SafeText("again"), role: SafeText("guest"), colour: 8)), to: 2)
        stage.need("one digest everywhere again", within: .seconds(6)) { Self.isAgreed($0) }
        stage.need("every node reports a complete clique", within: .seconds(15)) { world in
            (0..<6).allSatisfy { world.status(of: $0)?.isCliqueComplete == true }
        }
    }

    private static func isAgreed(_ world: World) -> Bool {
        let digests = (0..<6).map { world.status(of: $0)?.digest }
        return digests.allSatisfy { $0 == digests[0] }
    }

    private static func isNamed(_ world: World) -> Bool {
        let node = world.network.hosts[2].node
        return [0, 1, 3, 4, 5].allSatisfy { observer in
            world.status(of: observer)?.peers.first { $0.node == node }?.name == SafeText("renamed")
        }
    }
}
