import Mesh
import Primitives

/// Each node asks its person about each new peer. No link comes up before the answers. Two nodes link if both persons
/// say yes, and do not if one says no.
package struct PersonsDecide: DirectedScenario {
    package init() {}
    package static let promises = "I11"
    package var nodeCount: Int { 3 }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        for node in 0..<3 { world.setAdmissionPolicy(.ask(known: []), of: node) }
        stage.start([0, 1, 2])
        stage.advance(.seconds(70))
        for (a, b) in [(0, 1), (1, 2), (2, 0)] {
            stage.require(world.up.upInstance(of: b, at: a) == nil, "\(a) and \(b) linked before a user was asked")
        }
        answer(1, by: 0, true, world)
        answer(0, by: 1, true, world)
        stage.need("a link after two yeses", within: .seconds(35)) { $0.up.firstGap(among: [0, 1]) == nil }
        answer(2, by: 0, false, world)
        answer(0, by: 2, true, world)
        stage.advance(.seconds(40))
        stage.require(world.up.upInstance(of: 2, at: 0) == nil, "linked after a no")
        // An outage and a restart of node 2, while its link with node 1 waits for a person's answer.
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
        // As in the real program, the decisions of the persons are kept across a restart: no person is asked again, and
        // a refusal stays.
        keep(known: [1], denied: [2], at: 0, world)
        keep(known: [0, 2], denied: [], at: 1, world)
        for node in [0, 1] { stage.world.apply(.kill(node)) }
        stage.start([0, 1])
        stage.need("links after a restart, without a question", within: .seconds(65)) {
            $0.up.firstGap(among: [0, 1]) == nil && $0.up.firstGap(among: [1, 2]) == nil
        }
        stage.advance(.seconds(40))
        stage.require(world.up.upInstance(of: 2, at: 0) == nil, "linked after a no and a restart")
        // The admission policy of node 2 is set anew, with no known node. Its link with node 1 ends, and comes back
        // after the person of node 2 says yes.
        world.command(.setAdmissionPolicy(.ask(known: [])), to: 2)
        stage.advance(.seconds(40))
        for (a, b) in [(1, 2), (2, 1)] {
            stage.require(world.up.upInstance(of: b, at: a) == nil, "\(a) and \(b) linked against a new policy")
        }
        answer(1, by: 2, true, world)
        stage.need("a link after a further yes", within: .seconds(65)) { $0.up.firstGap(among: [1, 2]) == nil }
        // The person decides otherwise, and the nodes link.
        answer(2, by: 0, true, world)
        answer(0, by: 2, true, world)
        stage.need("a link after a changed mind", within: .seconds(65)) { $0.up.firstGap(among: [0, 2]) == nil }
    }

    private func keep(known: [Int], denied: [Int], at node: Int, _ world: World) {
        let ids = { (nodes: [Int]) in nodes.map { world.network.hosts[$0].node } }
        world.setAdmissionPolicy(.ask(known: ids(known), denied: ids(denied)), of: node)
    }

    private func answer(_ peer: Int, by node: Int, _ isAccepted: Bool, _ world: World) {
        world.command(.decideAdmission(world.network.hosts[peer].node, isAccepted: isAccepted), to: node)
    }
}

/// Only the leader (the node with the greater NodeID) asks its person before it links. If the answer is yes, the link
/// comes up at once, on the carrier that waits. If the admission policy is set anew, so that the leader has to ask
/// again, the link ends, also if the follower cannot hear of it; the next yes brings it back.
package struct LeadersPersonDecides: DirectedScenario {
    package init() {}
    package static let promises = "I11"
    package var nodeCount: Int { 2 }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        let leader = world.network.hosts[0].node < world.network.hosts[1].node ? 1 : 0
        let follower = world.network.hosts[1 - leader].node
        world.setAdmissionPolicy(.ask(known: []), of: leader)
        stage.start([0, 1])
        stage.advance(.seconds(5))
        stage.require(world.up.upInstance(of: 1 - leader, at: leader) == nil, "linked before the person was asked")
        world.command(.decideAdmission(follower, isAccepted: true), to: leader)
        stage.needClique([0, 1], within: .seconds(2))
        for hasOutage in [false, true] {
            stage.advance(.seconds(5))
            if hasOutage {
                world.apply(.blockDatagrams(0, 1))
                world.apply(.blockStreams(0, 1))
                world.apply(.resetCarriers(0, 1))
            }
            world.command(.setAdmissionPolicy(.ask(known: [])), to: leader)
            stage.advance(.seconds(2))
            for node in [0, 1] { world.apply(.setRule(from: node, to: 1 - node, rule)) }
            stage.advance(.seconds(40))
            for node in [0, 1] {
                stage.require(world.up.upInstance(of: 1 - node, at: node) == nil, "linked against a new policy")
            }
            stage.need("a question", within: .seconds(1)) { $0.state(of: 1 - leader, at: leader) == .awaitingDecision }
            world.command(.decideAdmission(follower, isAccepted: true), to: leader)
            stage.needClique([0, 1], within: .seconds(5))
        }
    }
}

/// A node hears about a thousand packets a second of a peer that sends without limit.
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

/// Another node, or the node itself, answers at an address where a peer was expected. The address is wrong, and the
/// expected peer is not to blame: it becomes linked nevertheless.
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
        for (listener, subject, host) in [(0, 2, 1), (2, 0, 1), (1, 0, 1), (0, 1, 0)] {
            world.mislead(listener, about: subject, to: host)
        }
        stage.advance(.seconds(8))
        for (listener, subject) in [(0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2)] {
            world.mislead(listener, about: subject, to: subject)
        }
        stage.needClique([0, 1, 2], within: SimLimits.convergenceMax)
    }
}

/// A router renumbers its network and gives all nodes other addresses at one instant. No node has the address any more
/// to which the others send, and yet every link stays up.
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
