import Mesh
import Primitives

/// L5: a machine that vanishes is down at every neighbour.
package struct VanishingIsNoticed: DirectedScenario {
    package init() {}
    package static let promises = "L5"
    package var nodeCount: Int { 5 }
    package func play(_ stage: DirectedStage) {
        stage.assemble(Array(0..<5))
        stage.world.apply(.vanish(4))
        stage.need("4 down everywhere", within: SimLimits.detectionMax) { world in
            (0..<4).allSatisfy { world.up.upInstance(of: 4, at: $0) == nil }
        }
    }
}

/// L5: a process that is killed has closed its connections: no second of silence is waited for.
package struct KillingIsNoticed: DirectedScenario {
    package init() {}
    package static let promises = "L5"
    package var nodeCount: Int { 5 }
    package func play(_ stage: DirectedStage) {
        stage.assemble(Array(0..<5))
        stage.world.apply(.kill(4))
        stage.need("4 down everywhere", within: .milliseconds(700)) { world in
            (0..<4).allSatisfy { world.up.upInstance(of: 4, at: $0) == nil }
        }
    }
}

/// L4: two that moved, and could make no connection then, make one at once when they can: each knows the other's place
/// by its datagrams, and by nothing else.
package struct CarriersFollowTheVoice: DirectedScenario {
    package init() {}
    package static let promises = "L4"
    package var nodeCount: Int { 2 }
    package var discovery: DiscoveryRule { DiscoveryRule(hasBeacon: false, hasDirectory: false) }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        // A person gives an address, once; nobody tells of another.
        world.addStaticPeer(1, to: 0)
        stage.assemble([0, 1])
        world.apply(.blockStreams(0, 1))
        for node in [1, 0] {
            world.apply(.changeAddress(node))
            stage.advance(.seconds(3))
        }
        stage.require(world.carriers.openCarrier(of: 0, with: 1) == nil, "a carrier where none passes")
        for (a, b) in [(0, 1), (1, 0)] { world.apply(.setRule(from: a, to: b, rule)) }
        stage.need("a carrier where the voice goes", within: .seconds(15)) { world in
            world.carriers.openCarrier(of: 0, with: 1) != nil
        }
    }
}

/// A short outage ends the link and not the session: no handshake is needed to come back.
package struct OutagesCostNoHandshake: DirectedScenario {
    package init() {}
    package static let promises = "L4"
    package var nodeCount: Int { 2 }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1])
        stage.world.apply(.cut(from: 0, to: 1))
        stage.world.apply(.cut(from: 1, to: 0))
        stage.advance(.milliseconds(2_300))
        stage.require(stage.world.up.upInstance(of: 1, at: 0) == nil, "up through an outage of 2.3 s")
        // No connection could be made: the keys that were agreed must do.
        stage.world.apply(.blockStreams(0, 1))
        stage.world.apply(.mendAll)
        stage.needClique([0, 1], within: .milliseconds(2_100))
    }
}

/// Who stood still itself accuses nobody afterwards.
package struct PausesAreForgiven: DirectedScenario {
    package init() {}
    package static let promises = "I12"
    package var nodeCount: Int { 4 }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1, 2, 3])
        stage.world.apply(.pause(0, for: .seconds(20)))
        stage.advance(.seconds(20))
        // The others have it down; it has everybody up, and asks them before it says otherwise.
        let seen = (1..<4).filter { stage.world.up.upInstance(of: $0, at: 0) != nil }
        stage.require(seen.count == 3, "a node that stood still lost \(3 - seen.count) links while it did")
        stage.advance(.milliseconds(300))
        let kept = (1..<4).filter { stage.world.up.upInstance(of: $0, at: 0) != nil }
        stage.require(kept.count == 3, "a node that stood still accuses \(3 - kept.count) others at once")
        let lost = (1..<4).filter { stage.world.disturbances.last(of: $0, by: 0).lost != nil }
        stage.require(lost.isEmpty, "a node that stood still lost \(lost), if for a moment")
        stage.needClique([0, 1, 2, 3], within: .seconds(4))
    }
}

/// A process that stood still for so long that everybody has given it up is linked with all again soon after.
package struct StoppedNodesAreBackSoon: DirectedScenario {
    package init() {}
    package static let promises = "L4"
    package var nodeCount: Int { 5 }
    package func play(_ stage: DirectedStage) {
        let everybody = Array(0..<nodeCount)
        stage.assemble(everybody)
        stage.world.apply(.pause(0, for: .seconds(10)))
        stage.advance(.seconds(10))
        stage.require(
            everybody.dropFirst().allSatisfy { stage.world.up.upInstance(of: 0, at: $0) == nil },
            "somebody has a process up that has stood still for 10 s")
        stage.needClique(everybody, within: .milliseconds(2_000))
    }
}

/// What was in doubt before a node stood still is not decided by its standing still: it asks anew.
package struct PausesDecideNothing: DirectedScenario {
    package init() {}
    package static let promises = "I12"
    package var nodeCount: Int { 2 }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1])
        let deathReport = DeathReport(stage.world)
        stage.world.sever(0, 1)
        stage.need("doubt", within: .seconds(2)) { $0.state(of: 1, at: 0) == .verifying }
        stage.pauseAndMend(0, for: .seconds(3))
        stage.require(
            stage.world.up.upInstance(of: 1, at: 0) != nil, "a link in doubt was given up over an own pause")
        stage.needClique([0, 1], within: .seconds(4))
        stage.advance(.seconds(5))
        stage.world.sever(0, 1)
        stage.need("a lost link", within: .seconds(3)) { $0.up.upInstance(of: 1, at: 0) == nil }
        stage.advance(.seconds(2))
        stage.pauseAndMend(0, for: .seconds(6))
        stage.require(!deathReport.has(0, declared: 1), "a suspect was taken for dead over an own pause")
        stage.needClique([0, 1], within: SimLimits.convergenceMax)
    }
}

extension DirectedStage {
    /// Mends the network while `node` stands still, and looks just after.
    fileprivate func pauseAndMend(_ node: Int, for length: Interval) {
        guard violation == nil else { return }
        world.apply(.pause(node, for: length))
        world.apply(.mendAll)
        advance(length + .milliseconds(1))
    }
}

extension World {
    func state(of peer: Int, at observer: Int) -> PeerStatus.State? {
        let node = network.hosts[peer].node
        return status(of: observer)?.peers.first { $0.node == node }?.state
    }
}

/// What a person's probe asks is answered after a round trip, not with the next heartbeat.
package struct PersonsProbesAreAnswered: DirectedScenario {
    package init() {}
    package static let promises = "L5"
    package var nodeCount: Int { 2 }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1])
        for _ in 0..<8 {
            let before = stage.world.counts.probesAnswered
            stage.world.command(.probe(PeerSlot(index: 0)), to: 0)
            stage.need("an answer to a probe", within: .milliseconds(90)) { before < $0.counts.probesAnswered }
            stage.advance(.milliseconds(610))
        }
    }
}

/// An echo says that the way was open when its block left; one that was under way for long says
/// nothing about now.
package struct LateEchoesProveNothing: DirectedScenario {
    package init() {}
    package static let promises = "I7"
    package var nodeCount: Int { 2 }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1])
        // One way becomes as slow as a satellite with a full queue.
        let slow = LinkRule(delayMin: .milliseconds(1_900), delayMean: .zero)
        stage.world.apply(.setRule(from: 0, to: 1, slow))
        stage.advance(.seconds(4))
        for _ in 0..<60 {
            stage.advance(.milliseconds(100))
            for (observer, peer) in [(0, 1), (1, 0)] {
                stage.require(
                    stage.world.up.upInstance(of: peer, at: observer) == nil, "echoes of 1.9 s ago hold a link up")
            }
        }
    }
}

/// I17, L13: a clique at rest invites nobody, announces nothing, and sends no more than its heartbeats.
package struct QuietCliquesAreCheap: DirectedScenario {
    package init() {}
    package static let promises = "I17, L13"
    package var nodeCount: Int { 8 }
    package func play(_ stage: DirectedStage) {
        stage.assemble(Array(0..<8))
        stage.advance(.seconds(20))
        let before = stage.world.counts
        let length: Int64 = 30
        stage.advance(.seconds(length))
        let counts = stage.world.counts
        let perNode = (counts.bytesSent - before.bytesSent) / UInt64(length) / UInt64(nodeCount)
        stage.require(
            perNode <= SimLimits.controlBytesMax(nodeCount: nodeCount), "\(perNode) bytes a node and second at rest")
        // One node, the announcer, goes on announcing the clique to others.
        let beacons = counts.beacons - before.beacons
        stage.require(beacons <= UInt64(length) / 9 + 1, "\(beacons) beacons in a complete clique")
        stage.require(counts.invitations == before.invitations, "invitations in a complete clique")
    }
}
