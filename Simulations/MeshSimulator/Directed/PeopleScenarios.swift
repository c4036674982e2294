import Mesh
import Primitives

/// A node whose person is asked: nobody is linked before the answer, a wait for it counts no failure,
/// yes links and no does not.
package struct PersonsDecide: DirectedScenario {
    package init() {}
    package static let promises = "I11"
    package var nodeCount: Int { 3 }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        for node in 0..<3 { world.setInvitations(.ask(known: []), of: node) }
        stage.start([0, 1, 2])
        stage.advance(.seconds(70))
        for (a, b) in [(0, 1), (1, 2), (2, 0)] {
            stage.require(world.up.upInstance(of: b, at: a) == nil, "\(a) and \(b) linked before anybody was asked")
        }
        answer(1, by: 0, true, world)
        answer(0, by: 1, true, world)
        stage.need("a link after two yeses", within: .seconds(35)) { $0.up.firstGap(among: [0, 1]) == nil }
        answer(2, by: 0, false, world)
        answer(0, by: 2, true, world)
        stage.advance(.seconds(40))
        stage.require(world.up.upInstance(of: 2, at: 0) == nil, "linked after a no")
        // An outage, and a restart, while one of the two waits for its person.
        stage.world.apply(.cut(from: 1, to: 2))
        stage.world.apply(.cut(from: 2, to: 1))
        stage.advance(.seconds(10))
        stage.world.apply(.mendAll)
        stage.world.apply(.kill(2))
        stage.start([2])
        stage.advance(.seconds(35))
        answer(1, by: 2, true, world)
        answer(2, by: 1, true, world)
        stage.need("a link after two late yeses", within: .seconds(65)) { $0.up.firstGap(among: [1, 2]) == nil }
        // Whoever asked anew is let in without being asked again; then the policy changes under a link.
        stage.world.apply(.kill(1))
        stage.start([1])
        stage.advance(.seconds(35))
        world.command(.setInvitations(.ask(known: [])), to: 2)
        world.apply(.resetCarriers(1, 2))
        stage.advance(.seconds(40))
    }

    private func answer(_ peer: Int, by node: Int, _ isAccepted: Bool, _ world: World) {
        world.command(.answerInvitation(world.network.hosts[peer].node, isAccepted: isAccepted), to: node)
    }
}

/// The leader's person alone is asked: yes links at once, on the connection that waits. A session that was agreed
/// before the policy changed outlives an outage, also one that ends while the person is asked.
package struct LeadersPersonDecides: DirectedScenario {
    package init() {}
    package static let promises = "I11"
    package var nodeCount: Int { 2 }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        let leader = world.network.hosts[0].node < world.network.hosts[1].node ? 1 : 0
        let follower = world.network.hosts[1 - leader].node
        world.setInvitations(.ask(known: []), of: leader)
        stage.start([0, 1])
        stage.advance(.seconds(5))
        stage.require(world.up.upInstance(of: 1 - leader, at: leader) == nil, "linked before the person was asked")
        world.command(.answerInvitation(follower, isAccepted: true), to: leader)
        stage.needClique([0, 1], within: .seconds(2))
        stage.advance(.seconds(5))
        world.command(.setInvitations(.ask(known: [])), to: leader)
        world.apply(.blockDatagrams(0, 1))
        world.apply(.blockStreams(0, 1))
        world.apply(.resetCarriers(0, 1))
        stage.advance(.milliseconds(2_200))
        stage.require(world.up.upInstance(of: 1 - leader, at: leader) == nil, "up without any way")
        var onlyStreams = rule
        onlyStreams.dropsDatagrams = true
        for node in [0, 1] { world.apply(.setRule(from: node, to: 1 - node, onlyStreams)) }
        stage.need("a question", within: .seconds(4)) { $0.state(of: 1 - leader, at: leader) == .awaitingDecision }
        for node in [0, 1] { world.apply(.setRule(from: node, to: 1 - node, rule)) }
        stage.needClique([0, 1], within: .seconds(3))
    }
}

/// A peer that sends without measure is heard a thousand times a second and no more.
package struct FloodsAreCut: DirectedScenario {
    package init() {}
    package static let promises = "I17"
    package var nodeCount: Int { 2 }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1])
        stage.world.startTalking(0, every: .microseconds(500))
        stage.advance(.seconds(1))
        let heard = stage.world.counts.voicePacketsHeard
        stage.advance(.seconds(3))
        let rate = (stage.world.counts.voicePacketsHeard - heard) / 3
        stage.require((900...1_400).contains(rate), "\(rate) packets of one peer heard in a second")
    }
}

/// An address at which somebody else answers, or this node itself, is the address's fault: the peer
/// that was sought there is linked all the same, and nobody is punished.
package struct WrongAddressesBlameNobody: DirectedScenario {
    package init() {}
    package static let promises = "I12"
    package var nodeCount: Int { 3 }
    package var discovery: DiscoveryRule { DiscoveryRule(hasBeacon: false, hasDirectory: false) }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        world.addStaticPeer(0, to: 0)
        stage.start([0, 1, 2])
        stage.advance(.seconds(1))
        for (listener, subject, place) in [(0, 2, 1), (2, 0, 1), (1, 0, 1), (0, 1, 0)] {
            world.mislead(listener, about: subject, to: place)
        }
        stage.advance(.seconds(8))
        for (listener, subject) in [(0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2)] {
            world.mislead(listener, about: subject, to: subject)
        }
        stage.needClique([0, 1, 2], within: SimLimits.convergenceMax)
    }
}

/// A router that numbers its network anew gives everybody another address in one instant: nobody is where the others
/// send, and every link stands all the same.
package struct RenumberedNetworksStand: DirectedScenario {
    package init() {}
    package static let promises = "I12"
    package var nodeCount: Int { 4 }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1, 2, 3])
        let changes = stage.world.up.changes
        stage.talking([0, 1, 2, 3]) {
            for moved in [[0], [1], [2, 3], [0, 1, 2, 3], [0, 1, 2, 3]] {
                for node in moved { stage.world.apply(.changeAddress(node)) }
                stage.advance(.seconds(10))
                stage.require(stage.world.up.changes == changes, "links went with the addresses")
            }
        }
    }
}
