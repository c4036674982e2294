import Mesh
import Primitives

/// A machine vanishes, and every neighbour takes its link down.
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

/// A killed process has closed its connections, so no peer waits for a second of silence.
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

/// Both nodes have changed their addresses while no TCP connection was possible between them. As soon as one is
/// possible, they open it. Each knows the other's new address only from the datagrams that come from it.
package struct CarriersFollowTheVoice: DirectedScenario {
    package init() {}
    package static let promises = "L4"
    package var nodeCount: Int { 2 }
    package var discovery: DiscoveryRule { DiscoveryRule(hasBeacon: false, hasDirectory: false) }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        // A person gives the first address. Neither a person nor discovery reports a later one.
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

/// A short outage ends the link, but not the session: the link comes back without a handshake.
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
        // No connection can be opened, so the two can only use the keys that they have.
        stage.world.apply(.blockStreams(0, 1))
        stage.world.apply(.mendAll)
        stage.needClique([0, 1], within: .milliseconds(2_100))
    }
}

/// A node whose process was paused takes no link down because of the pause.
package struct PausesAreForgiven: DirectedScenario {
    package init() {}
    package static let promises = "I12"
    package var nodeCount: Int { 4 }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1, 2, 3])
        stage.world.apply(.pause(0, for: .seconds(20)))
        stage.advance(.seconds(20))
        // The others have taken their links to this node down. This node still has all its links up, and probes the
        // peers before it takes a link down.
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

/// A process was paused for so long that all other nodes took their links to it down. Soon after it goes on, it is
/// linked with all of them again.
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
            "a process that has been stopped for 10 s is still up at a peer")
        stage.needClique(everybody, within: .milliseconds(2_000))
    }
}

/// A node whose process was paused does not conclude from the silence of that time that a link is down or that a
/// suspected peer is dead. It probes the peer again first.
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
            stage.world.up.upInstance(of: 1, at: 0) != nil, "a pause of a node ended a link in verification")
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
    /// Pauses the process of `node`, mends the network during the pause, and runs until just after the pause.
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

/// A node answers a person's probe after one round trip, and not with its next heartbeat.
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

/// A peer echoes each control block (the heartbeat message). An echo shows that the route was open when that control
/// block was sent. An echo that was under way for long says nothing about the route now, so it must not hold the link
/// up.
package struct LateEchoesProveNothing: DirectedScenario {
    package init() {}
    package static let promises = "I7"
    package var nodeCount: Int { 2 }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1])
        // One direction becomes as slow as a satellite link with a full queue.
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

/// In a clique at rest no node invites, and only one node sends beacons. On average a node sends at most its
/// heartbeats, its digests and its link states (`SimLimits.controlBytesMax`).
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
        // One node, the announcer, goes on sending beacons for others.
        let beacons = counts.beacons - before.beacons
        stage.require(beacons <= UInt64(length) / 9 + 1, "\(beacons) beacons in a complete clique")
        stage.require(counts.invitations == before.invitations, "invitations in a complete clique")
    }
}

/// Nodes get too little processor time. If all nodes of a mesh wait for their turns on one processor, no node is
/// declared dead, and no link is lost. If three nodes read too seldom, no other node is declared dead, and no link
/// between the others is lost.
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
        // Eight nodes: if a slow node reads nothing for 8 s, its kernel's queue holds all datagrams of the others.
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
