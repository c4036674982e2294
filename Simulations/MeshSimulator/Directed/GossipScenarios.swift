import Mesh
import Primitives
import Wire

/// A node sends a change of its record to its neighbours at once. It does not wait until versions are compared. News of
/// a peer's restart goes to a neighbour that still advertises its link to the earlier boot.
package struct NewsIsPushed: DirectedScenario {
    package init() {}
    package static let promises = "L3"
    package var nodeCount: Int { 5 }
    package func play(_ stage: DirectedStage) {
        stage.assemble(Array(0..<5))
        for round in 1...4 {
            let (subject, name) = (round % 5, SafeText("news \(round)"))
            stage.world.command(.setProfile(NodeProfile(name: name, colour: 1)), to: subject)
            // 50 ms to gather more changes, and one network delay. If a neighbour passed the change on, it would take
            // twice that.
            stage.need("a pushed name", within: .milliseconds(80)) { $0.isNamed(subject, name, byAll: 0..<5) }
            stage.advance(.seconds(2))
        }
        // The direct path between nodes 0 and 4 is cut, so their link goes on through a neighbour. After its restart
        // node 4 links with node 1 first.
        stage.world.sever(0, 4)
        stage.advance(.seconds(5))
        for node in 0..<4 { stage.world.apply(.setHearing(false, listener: node, subject: 4)) }
        for node in [2, 3] { stage.world.sever(node, 4) }
        stage.world.apply(.vanish(4))
        stage.start([4])
        stage.need("a link with the restarted node", within: .seconds(2)) {
            $0.up.upInstance(of: 4, at: 1) == $0.nodes[4].instance
        }
        stage.need("the pushed boot", within: .milliseconds(80)) {
            $0.knownInstance(of: 4, at: 0) == $0.nodes[4].instance
        }
    }
}

/// A node that did not receive a change learns of it, because the digests in the heartbeats differ.
package struct DigestsHeal: DirectedScenario {
    package init() {}
    package static let promises = "L3"
    package var nodeCount: Int { 3 }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1, 2])
        for subject in [0, 2] {
            // The link between nodes 0 and 2 is up and has no carrier, so neither sends its change to the other. Their
            // neighbour does not send it on, because it expects them to do so.
            stage.world.apply(.blockStreams(0, 2))
            stage.world.apply(.resetCarriers(0, 2))
            let name = SafeText("renamed \(subject)")
            stage.world.command(.setProfile(NodeProfile(name: name, colour: 1)), to: subject)
            // A tunnel opens after 1.5 s, and its session compares versions at once.
            stage.need("news by the digest", within: .milliseconds(1_450)) { $0.isNamed(subject, name, byAll: 0..<3) }
            stage.require(stage.world.up.firstGap(among: [0, 1, 2]) == nil, "the link went with its carrier")
            stage.world.apply(.mendAll)
            stage.world.apply(.setAllRules(rule))
            stage.advance(.seconds(30))
        }
    }
}

/// 650 s after a node vanished, all others have forgotten it, and for 20 s no node has compared versions. This holds
/// although many nodes gossip about it, and although a node that has never seen it joins meanwhile.
package struct TheGoneAreForgotten: DirectedScenario {
    package init() {}
    package static let promises = "L3, I17"
    package var nodeCount: Int { 20 }
    package func play(_ stage: DirectedStage) {
        let (gone, late) = (18, 19)
        stage.assemble(Array(0..<late))
        stage.world.apply(.vanish(gone))
        let end = stage.world.now + .seconds(600)
        stage.advance(.seconds(560))
        stage.start([late])
        stage.advance(end + .seconds(30) - stage.world.now)
        func exchanges() -> UInt64 { (0..<gone).reduce(0) { $0 + stage.world.counted(.versionExchanges, at: $1) } }
        let before = exchanges()
        stage.advance(.seconds(20))
        stage.require(exchanges() == before, "\(exchanges() - before) comparisons of what all know")
        let knowing = (0..<nodeCount).filter { stage.world.isKnown(gone, at: $0) }
        stage.require(knowing.isEmpty, "\(knowing) still count \(gone), which is gone")
    }
}

/// An older record of the same life is heard again. It changes no name, and brings back no node that has left.
package struct OldRecordsAreDull: DirectedScenario {
    package init() {}
    package static let promises = "I6, I8"
    package var nodeCount: Int { 3 }
    /// There is no directory: a hint of it might arrive after the leave, and would be worth a dial.
    package var discovery: DiscoveryRule { DiscoveryRule(hasDirectory: false) }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1, 2])
        let (world, old) = (stage.world, stage.world.lastBeacon(of: 2))
        stage.require(!old.isEmpty, "no beacon to send again")
        let name = SafeText("renamed")
        world.command(.setProfile(NodeProfile(name: name, colour: 1)), to: 2)
        stage.need("the new name", within: .seconds(2)) { $0.isNamed(2, name, byAll: 0..<3) }
        world.hearAgain(old, of: 2, at: 0)
        stage.require(world.isNamed(2, name, byAll: 0..<3), "an older record took the place of a newer one")
        world.apply(.leave(2))
        stage.advance(.seconds(3))
        let (digest, dials) = (world.status(of: 0)?.digest, world.counts.dials)
        world.hearAgain(old, of: 2, at: 0)
        stage.require(world.status(of: 0)?.digest == digest, "an older record undid a leave")
        stage.advance(.seconds(10))
        stage.require(world.counts.dials == dials, "a peer that has left is dialled after an older record")
    }
}

/// Beacons that are cut short or damaged change nothing.
package struct NoiseIsDull: DirectedScenario {
    package init() {}
    package static let promises = "I16"
    package var nodeCount: Int { 2 }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1])
        let (world, beacon) = (stage.world, stage.world.lastBeacon(of: 1))
        let (digest, known) = (world.status(of: 0)?.digest, world.status(of: 0)?.peersKnown)
        for length in beacon.indices { world.hearAgain(Array(beacon[..<length]), of: 1, at: 0) }
        for index in beacon.indices {
            var damaged = beacon
            damaged[index] ^= 0x40
            world.hearAgain(damaged, of: 1, at: 0)
            // If node 0 got all damaged beacons at once, most would exceed the rate of their source address, and node 0
            // would not parse them.
            stage.advance(MeshLimits.beaconCheckPerSourceInterval)
        }
        stage.require(
            world.status(of: 0)?.digest == digest && world.status(of: 0)?.peersKnown == known, "noise was believed")
        stage.advance(.seconds(2))
        stage.require(world.up.firstGap(among: [0, 1]) == nil, "noise cost a link")
    }
}

extension World {
    /// Whether all observers but the subject show the subject under this name.
    fileprivate func isNamed(_ subject: Int, _ name: SafeText, byAll observers: Range<Int>) -> Bool {
        let node = network.hosts[subject].node
        return observers.allSatisfy { observer in
            observer == subject || status(of: observer)?.peers.first { $0.node == node }?.name == name
        }
    }

    fileprivate func lastBeacon(of node: Int) -> [UInt8] { nodes[node].beacon }

    fileprivate func hearAgain(_ beacon: [UInt8], of subject: Int, at node: Int) {
        deliver(.beacon(beacon, from: network.hosts[subject].endpoint), .beacon, TraceHash.digest(beacon), to: node)
    }
}

extension World {
    fileprivate func isKnown(_ peer: Int, at node: Int) -> Bool {
        isRunning(node) && peerSnapshot(at: node, of: peer)?.known?.isCurrent == true
    }

    /// Returns the highest instance of a peer that a node has seen.
    fileprivate func knownInstance(of peer: Int, at node: Int) -> Instance? {
        peerSnapshot(at: node, of: peer)?.known?.instance
    }
}
