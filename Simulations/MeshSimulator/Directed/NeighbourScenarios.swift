import Mesh
import Primitives
import Wire

/// Two nodes lose their direct path. Their voice goes on through a neighbour, and each packet is heard once.
package struct VoiceGoesByNeighbours: DirectedScenario {
    package init() {}
    package static let promises = "L10, I13"
    package var nodeCount: Int { 3 }
    package var rule: LinkRule {
        LinkRule(delayMin: .milliseconds(1), delayMean: .milliseconds(2), duplicatePermille: 200)
    }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1, 2])
        stage.talking([0, 1, 2]) {
            stage.advance(.seconds(2))
            for (talker, listener) in [(0, 2), (2, 0)] { _ = stage.world.takeHearingGap(of: talker, at: listener) }
            stage.world.sever(0, 2)
            stage.advance(.seconds(10))
            // One second of silence, then probes over all paths for half a second
            // (docs/ARCHITECTURE.md, "When a path is lost").
            stage.requireVoice(within: .milliseconds(1_500), "after the direct path was lost")
            stage.world.apply(.mendAll)
            stage.advance(.seconds(15))
            stage.requireVoice(within: .milliseconds(100), "when the direct path came back")
        }
    }
}

extension DirectedStage {
    /// Requires that nodes 0 and 2 waited at most `bound` for each other's voice.
    fileprivate func requireVoice(within bound: Interval, _ when: String) {
        for (talker, listener) in [(0, 2), (2, 0)] {
            let gap = world.takeHearingGap(of: talker, at: listener) ?? .seconds(10)
            require(gap <= bound, "no voice of \(talker) for \(gap) \(when)")
        }
    }
}

/// While a link is up, a node sends its voice through no neighbour that the node itself reaches only through another
/// one.
package struct NeighboursAreReplacedAtOnce: DirectedScenario {
    package init() {}
    package static let promises = "L10"
    package var nodeCount: Int { 4 }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1, 2, 3])
        stage.world.sever(0, 1)
        stage.world.startTalking(0, every: .milliseconds(20))
        stage.advance(.seconds(10))
        // With this loss some echoes of the neighbours come too late, but voice goes on.
        let lossy = LinkRule(delayMin: .milliseconds(1), delayMean: .milliseconds(2), lossPermille: 300)
        for neighbour in [2, 3] { stage.world.apply(.setRule(from: neighbour, to: 0, lossy)) }
        _ = stage.world.takeHearingGap(of: 0, at: 1)
        var (looks, byNeighbours, turns) = (0, 0, 0)
        // Two minutes, and longer until a neighbour has been reached through another one.
        while looks < 12_000 || looks < 120_000 && turns == 0 {
            stage.advance(.milliseconds(10))
            looks += 1
            guard let peers = stage.world.status(of: 0)?.peers else { continue }
            turns += peers.contains { stage.world.number(of: $0.node) != 1 && $0.path == .relay } ? 1 : 0
            // While the link is in verification, node 0 uses two paths and tries more.
            guard let far = peers.first(where: { stage.world.number(of: $0.node) == 1 }), far.state == .up
            else { continue }
            byNeighbours += far.path == .relay ? 1 : 0
            let isRelayed = peers.contains { $0.node == far.via && $0.path == .relay }
            stage.require(!isRelayed, "node 0 sends through a neighbour that it does not reach itself")
        }
        stage.require(looks * 9 / 10 < byNeighbours, "through a neighbour at \(byNeighbours) of \(looks) looks only")
        stage.require(0 < turns, "no neighbour was ever reached through another one")
        let gap = stage.world.takeHearingGap(of: 0, at: 1) ?? .seconds(120)
        stage.require(gap <= .milliseconds(500), "no voice for \(gap) through neighbours")
    }
}

/// All others declare a node that vanishes dead, and they declare no other node dead.
package struct DeathsAreConcluded: DirectedScenario {
    package init() {}
    package static let promises = "L5b"
    package var nodeCount: Int { 5 }
    package func play(_ stage: DirectedStage) {
        stage.assemble(Array(0..<5))
        let deathReport = DeathReport(stage.world)
        stage.world.apply(.vanish(4))
        stage.need("the death of 4 known everywhere", within: .seconds(30)) { _ in
            (0..<4).allSatisfy { deathReport.has($0, declared: 4) }
        }
        stage.require(deathReport.count == 4, "\(deathReport.count - 4) living nodes declared dead")
    }
}

/// A node that receives nothing for 20 s of every 40 s costs the others no link among themselves.
package struct ReceiveOutagesHarmNobody: DirectedScenario {
    package init() {}
    package static let promises = "L12, I12"
    package var nodeCount: Int { 5 }
    package func play(_ stage: DirectedStage) {
        stage.assemble(Array(0..<5))
        let deathReport = DeathReport(stage.world)
        for _ in 0..<3 {
            for other in 0..<4 { stage.world.apply(.cut(from: other, to: 4)) }
            stage.advance(.seconds(20))
            stage.require(
                stage.world.up.firstGap(among: [0, 1, 2, 3]) == nil, "links of others lost because of a receive outage")
            stage.world.apply(.mendAll)
            stage.advance(.seconds(20))
        }
        for observer in 0..<5 {
            for other in 0..<4 where deathReport.has(observer, declared: other) {
                stage.require(false, "\(observer) declared \(other) dead, which had no receive outage")
            }
        }
        stage.needClique(Array(0..<5), within: SimLimits.convergenceMax)
    }
}

/// In a chain a neighbour relays datagrams only to nodes that it reaches itself. Nobody takes a node for dead that a
/// neighbour still hears, although no path leads to that node.
package struct ChainsKeepOneHop: DirectedScenario {
    package init() {}
    package static let promises = "L10, L12"
    package var nodeCount: Int { 4 }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1, 2, 3])
        let deathReport = DeathReport(stage.world)
        for (a, b) in [(0, 2), (0, 3), (1, 3)] { stage.world.sever(a, b) }
        stage.advance(.seconds(5))
        for _ in 0..<120 {
            stage.advance(.milliseconds(100))
            for (observer, peer) in [(0, 3), (3, 0)] {
                stage.require(stage.world.up.upInstance(of: peer, at: observer) == nil, "up over two neighbours")
            }
        }
        stage.require(deathReport.count == 0, "\(deathReport.count) nodes declared dead that a neighbour hears")
        stage.require(
            stage.world.up.firstGap(among: [0, 1, 2]) == nil && stage.world.up.firstGap(among: [1, 2, 3]) == nil,
            "nodes two hops apart are not up through a neighbour")
        stage.world.apply(.mendAll)
        stage.needClique([0, 1, 2, 3], within: SimLimits.convergenceMax)
    }
}

/// In each direction of a pair, a neighbour relays a hundred datagrams at once, then 500 a second, and no more.
package struct RelaysAreRationed: DirectedScenario {
    package init() {}
    package static let promises = "I17"
    package var nodeCount: Int { 3 }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1, 2])
        stage.world.sever(0, 2)
        stage.advance(.seconds(4))
        stage.world.startTalking(0, every: .microseconds(1_250))
        stage.advance(.seconds(2))
        var heard = 0
        stage.world.onVoice = { _, listener in heard += listener == 2 ? 1 : 0 }
        let before = stage.world.counted(.relaysForwarded, at: 1)
        stage.advance(.seconds(5))
        // Node 0 has spoken 4,000 packets. In each direction, node 1 relays at most a hundred datagrams at once and 500
        // a second. Only heartbeats go from node 2 to node 0, at most three a second. Frames of the carrier have no
        // such limit.
        stage.require(500 < heard, "only \(heard) packets came by a neighbour in 5 s")
        let relayed = stage.world.counted(.relaysForwarded, at: 1) - before
        stage.require(relayed <= 100 + 5 * 500 + 5 * 3, "a neighbour relayed \(relayed) datagrams in 5 s")
    }
}

/// Which node has declared which peer dead.
final class DeathReport {
    private var declared: [(observer: Int, peer: Int)] = []

    init(_ world: World) {
        world.onEvent = { [weak self, weak world] event, observer in
            guard case .peerDead(let peer, _) = event, let number = world?.number(of: peer) else { return }
            self?.declared.append((observer, number))
        }
    }

    var count: Int { declared.count }
    func has(_ observer: Int, declared peer: Int) -> Bool {
        declared.contains { $0.observer == observer && $0.peer == peer }
    }
}
