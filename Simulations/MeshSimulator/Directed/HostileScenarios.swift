import Mesh
import Primitives

/// Old invitations, answers and datagrams that are sent again and again change nothing.
package struct OldBytesAreDull: DirectedScenario {
    package init() {}
    package static let promises = "I8"
    package var nodeCount: Int { 3 }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1, 2])
        stage.world.apply(.resetCarriers(0, 1))
        stage.advance(.seconds(6))
        let lost = stage.world.counts.linksLost
        for round in 0..<20 {
            let (of, to) = (round % 3, (round + 1 + round / 10) % 3)
            if of != to { stage.world.apply(.replay(of: of, to: to)) }
            stage.advance(.milliseconds(700))
        }
        let isWhole = stage.world.up.firstGap(among: [0, 1, 2]) == nil
        stage.require(isWhole && stage.world.counts.linksLost == lost, "replays cost a link")
    }
}

/// A host sends an overheard datagram from its own address. The receiver does not take the host for the peer that
/// sealed the datagram.
package struct HijackersGetNothing: DirectedScenario {
    package init() {}
    package static let isScene = true
    package static let promises = "I8"
    package var nodeCount: Int { 2 }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1])
        stage.world.startTalking(0, every: .milliseconds(20))
        stage.world.startTalking(1, every: .milliseconds(20))
        for _ in 0..<100 where stage.violation == nil {
            stage.world.apply(.hijack(of: 0, to: 1))
            stage.advance(.milliseconds(50))
        }
        stage.world.apply(.cut(from: 0, to: 1))
        stage.advance(.seconds(3))
    }
}

/// A node hears each voice packet once, however many copies the network makes.
package struct CopiesAreHeardOnce: DirectedScenario {
    package init() {}
    package static let promises = "I13"
    package var nodeCount: Int { 2 }
    package var rule: LinkRule {
        LinkRule(delayMin: .milliseconds(1), delayMean: .milliseconds(20), duplicatePermille: 500)
    }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1])
        let heard = stage.world.counts.voicePacketsHeard
        stage.world.startTalking(0, every: .milliseconds(5))
        stage.advance(.seconds(5))
        let count = stage.world.counts.voicePacketsHeard - heard
        stage.require((900...1_001).contains(count), "\(count) of a thousand packets heard")
    }
}

/// Two machines have one identity. The older boot stays linked, the younger boot is reported, and neither drives the
/// other out.
package struct DuplicatesAreReported: DirectedScenario {
    package init() {}
    package static let promises = "I5"
    package var nodeCount: Int { 4 }
    package var duplicateOf: Int? { 0 }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1, 2])
        stage.world.apply(.kill(0))
        stage.assemble([0])
        stage.advance(.seconds(5))
        stage.world.apply(.copyState(of: 0, to: 3))
        let changes = stage.world.counts.linksLost
        stage.start([3])
        stage.advance(.seconds(40))
        let lost = stage.world.counts.linksLost - changes
        stage.require(lost <= 2, "\(lost) links lost to a duplicate")
        stage.need("a report of a duplicate", within: .seconds(20)) { 0 < $0.counts.duplicatesReported }
        // While the older boot lives, the younger one must not advance its instance, although the younger one's counter
        // is lower.
        stage.world.apply(.kill(3))
        stage.world.apply(.rollBack(3, by: 2))
        stage.start([3])
        let advances = stage.world.counts.advances
        stage.advance(.seconds(40))
        stage.require(stage.world.counts.advances == advances, "a duplicate advanced although the original lives")
        let lostInAll = stage.world.counts.linksLost - changes
        stage.require(lostInAll <= 4, "\(lostInAll) links lost to a duplicate with an older counter")
    }
}

/// A node that crashes in a loop causes no storm of dials: a new instance ends a wait early, but only at a limited
/// rate.
package struct CrashLoopsAreNoStorm: DirectedScenario {
    package init() {}
    package static let isScene = true
    package static let promises = "I10, I11"
    package var nodeCount: Int { 4 }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1, 2, 3])
        for round in 0..<60 where stage.violation == nil {
            stage.world.apply(round % 3 == 0 ? .vanish(3) : .kill(3))
            stage.advance(.milliseconds(round % 2 == 0 ? 80 : 1_300))
            stage.start([3])
            stage.advance(.milliseconds(round % 5 == 0 ? 2_100 : 350))
        }
        stage.needClique([0, 1, 2, 3], within: SimLimits.convergenceMax)
    }
}

/// A node restarts again and again within a short time. Each boot proves that the node lives, but boots end a wait of
/// its peer early at most once in two seconds. So the peer's dials are no storm.
package struct BootsAreNoLever: DirectedScenario {
    package init() {}
    package static let promises = "I10, I11"
    package var nodeCount: Int { 2 }
    /// With this delay no link comes up before the next kill.
    package var rule: LinkRule { LinkRule(delayMin: .milliseconds(60), delayMean: .microseconds(100)) }
    package func play(_ stage: DirectedStage) {
        let leader = stage.world.network.hosts[0].node < stage.world.network.hosts[1].node ? 1 : 0
        let loop = 1 - leader
        stage.start([leader])
        stage.advance(.seconds(2))
        for _ in 0..<100 where stage.violation == nil {
            stage.start([loop])
            stage.advance(.milliseconds(110))
            stage.world.apply(.kill(loop))
            stage.advance(.milliseconds(140))
        }
        stage.start([loop])
        stage.needClique([0, 1], within: SimLimits.convergenceMax)
    }
}

/// Two meshes on one network do not link with each other.
package struct MeshesStayApart: DirectedScenario {
    package init() {}
    package static let promises = "I9"
    package var nodeCount: Int { 4 }
    package func play(_ stage: DirectedStage) {
        stage.world.setMesh("elsewhere", of: 2)
        stage.world.setMesh("elsewhere", of: 3)
        stage.start([0, 1, 2, 3])
        stage.needClique([0, 1], within: .seconds(4))
        stage.needClique([2, 3], within: .seconds(4))
        stage.advance(.seconds(20))
        for (a, b) in [(0, 2), (0, 3), (1, 2), (1, 3), (2, 0), (3, 1)] {
            stage.require(
                stage.world.up.upInstance(of: b, at: a) == nil, "\(a) of one mesh is linked with \(b) of another")
        }
    }
}

/// A blocked node stays out, also after a restart.
package struct BlockedStayOut: DirectedScenario {
    package init() {}
    package static let promises = "I11"
    package var nodeCount: Int { 3 }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1, 2])
        stage.world.command(.block(stage.world.network.hosts[2].node), to: 0)
        stage.need("the blocked one down", within: .seconds(2)) {
            $0.up.upInstance(of: 2, at: 0) == nil && $0.up.upInstance(of: 0, at: 2) == nil
        }
        stage.advance(.seconds(60))
        // After its restart, node 2 tries again to link with node 0, with an instance that node 0 has not refused yet.
        stage.world.apply(.kill(2))
        stage.start([2])
        stage.advance(.seconds(20))
        stage.require(stage.world.up.upInstance(of: 2, at: 0) == nil, "a blocked node is linked")
    }
}

/// A refusal is an answer: it counts no failure and leads to no quarantine.
package struct RefusalsAreNoFailures: DirectedScenario {
    package init() {}
    package static let promises = "I11"
    package var nodeCount: Int { 2 }
    package func play(_ stage: DirectedStage) {
        for node in [0, 1] { stage.world.setAdmissionPolicy(.allowList([]), of: node) }
        stage.start([0, 1])
        stage.advance(.seconds(200))
        for (observer, peer) in [(0, 1), (1, 0)] {
            let node = stage.world.network.hosts[peer].node
            let seen = stage.world.status(of: observer)?.peers.first { $0.node == node }
            stage.require(
                seen?.failures == 0, "\(observer) counts \(seen?.failures ?? -1) failures of a peer that refuses")
            stage.require(seen?.state != .quarantined, "a peer that refuses is quarantined")
        }
    }
}

/// One peer that fails for ever ends no other link.
package struct OneBadPeerHurtsNobody: DirectedScenario {
    package init() {}
    package static let promises = "I12"
    package var nodeCount: Int { 5 }
    package func play(_ stage: DirectedStage) {
        stage.assemble(Array(0..<5))
        for other in 0..<4 { stage.world.apply(.cut(from: other, to: 4)) }
        stage.advance(.seconds(10))
        let lost = stage.world.counts.linksLost
        stage.advance(.seconds(120))
        stage.require(stage.world.counts.linksLost == lost, "links lost beside one bad peer")
        stage.require(stage.world.up.firstGap(among: [0, 1, 2, 3]) == nil, "the others are no clique")
    }
}

/// A node lost 23 peers at once. Its dials of them stay within the limits of one node, and all are linked again in
/// time.
package struct ManyDialsAreRationed: DirectedScenario {
    package init() {}
    package static let promises = "I10"
    package var nodeCount: Int { 24 }
    package func play(_ stage: DirectedStage) {
        stage.assemble(Array(0..<24))
        stage.world.apply(.partition(1))
        stage.advance(.seconds(20))
        stage.world.apply(.mendAll)
        stage.needClique(Array(0..<24), within: .seconds(20))
    }
}
