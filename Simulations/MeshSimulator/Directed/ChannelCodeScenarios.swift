import Channels
import Mesh
import Node
import Primitives
import Voice

private let coded = SpeechRule.codedChannel(1)

extension SpeechRule {
    /// Nobody talks unless a scenario presses its keys.
    fileprivate static let onOrder = SpeechRule(talkerCount: 0)
}

extension DirectedStage {
    /// Lets these nodes join the channel with its code, and waits until each knows that the others listen there.
    fileprivate func joinCoded(_ members: [Int], code: UInt8 = 1) {
        for node in members { world.join(coded, code: code, of: node) }
        for node in members { world.setKey(1, to: KeyTargets(channels: [coded]), of: node) }
        need("proofs of the code", within: .seconds(3)) { $0.areOnCoded(members) }
    }

    /// Lets a node talk on the channel with a code from now on.
    fileprivate func press(_ talker: Int, knowing: [Int]) {
        world.press(.key(1), of: talker, to: SpokenTo(channels: [coded], knowing: knowing.filter { $0 != talker }))
    }

    /// Lets a node that talks on the channel with a code fall silent.
    fileprivate func release(_ talker: Int) {
        world.press([], of: talker, to: SpokenTo(channels: [coded]))
        advance(.milliseconds(500))
    }

    /// Requires that these nodes heard nothing of the channel, and that neither their events nor their status name a
    /// listener or a talker there.
    fileprivate func requireHidden(from outsiders: [Int], talker: Int) {
        for node in outsiders {
            let heard = world.hearing(of: talker, at: node)?.sounded
            require(heard == 0, "\(node) heard \(heard ?? 0) frames of a channel whose code it does not have")
            require(!world.isShownTalking(talker, at: node), "\(node) is shown that \(talker) talks")
            let peers = world.status(of: node)?.peers ?? []
            require(
                peers.allSatisfy { $0.channels.count == 1 && $0.talks.isEmpty && $0.talksOn.isEmpty },
                "\(node) was told of more than the open channel")
        }
    }
}

extension World {
    /// Whether each of these nodes knows of the others that they listen to the channel with a code.
    fileprivate func areOnCoded(_ members: [Int]) -> Bool {
        members.allSatisfy { node in
            let listeners = status(of: node)?.peers.filter { $0.channels.contains(coded) }.count
            return listeners == members.count - 1
        }
    }
}

/// Nodes 0 and 1 have the code of a channel, and node 2 has not. Node 0 talks there: node 1 hears it without gaps, and
/// node 2 hears nothing, is shown no talk, and is told of no channel. With another code node 2 hears nothing either,
/// and its person is told that nobody has the channel with this code. With the right code node 2 talks there, and is
/// heard.
package struct CodedChannelsStayTheirs: DirectedScenario {
    package init() {}
    package static let promises = "V6"
    package var nodeCount: Int { 3 }
    package var speech: SpeechRule? { .onOrder }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1, 2])
        let world = stage.world
        stage.joinCoded([0, 1])
        stage.press(0, knowing: [0, 1])
        stage.advance(.seconds(2))
        world.listen(from: world.now, until: world.now + .seconds(2))
        stage.advance(.milliseconds(2_500))
        stage.requireHearing(of: 0, at: 1, permilleMin: 995, delayMax: .milliseconds(60))
        stage.requireHidden(from: [2], talker: 0)

        world.join(coded, code: 2, of: 2)
        stage.need("the news that nobody has the code", within: .seconds(8)) { _ in
            world.nodes[2].channelsNobodyHas == [coded]
        }
        world.listen(from: world.now, until: world.now + .seconds(2))
        stage.advance(.milliseconds(2_500))
        stage.requireHearing(of: 0, at: 1, permilleMin: 995, delayMax: .milliseconds(60))
        stage.requireHidden(from: [2], talker: 0)

        // The wrong code has cost the third node one guess at each of the others, however long the node kept it. With
        // the right code the others hear the third node.
        stage.advance(.seconds(12))
        world.partCoded(coded, of: 2)
        stage.release(0)
        stage.joinCoded([2], code: 1)
        stage.need("the third on the channel", within: .seconds(3)) { $0.areOnCoded([0, 1, 2]) }
        stage.press(2, knowing: [0, 1, 2])
        stage.advance(.seconds(2))
        world.listen(from: world.now, until: world.now + .seconds(2))
        stage.advance(.milliseconds(2_500))
        for listener in [0, 1] {
            stage.requireHearing(of: 2, at: listener, permilleMin: 995, delayMax: .milliseconds(60))
        }
    }
}

/// The carriers of two nodes are reset while one talks on a channel with a code. Their session is renewed, and the
/// proof is made anew, but the other node misses nothing. In one round TCP delivers nothing for 3 s after the reset.
package struct RenewedSessionsKeepCodedChannels: DirectedScenario {
    package init() {}
    package static let promises = "V6"
    package var nodeCount: Int { 2 }
    package var speech: SpeechRule? { .onOrder }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1])
        let world = stage.world
        stage.joinCoded([0, 1])
        stage.press(0, knowing: [0, 1])
        stage.advance(.seconds(2))
        for round in 0..<3 {
            let proofs = world.proofCount(of: 0)
            world.listen(from: world.now, until: world.now + .seconds(25))
            world.apply(.resetCarriers(0, 1))
            if round == 1 { world.apply(.blockStreams(0, 1)) }
            stage.advance(.seconds(3))
            if round == 1 { world.apply(.setAllRules(rule)) }
            stage.advance(.seconds(23))
            stage.requireHearing(of: 0, at: 1, permilleMin: 995, delayMax: .milliseconds(60))
            stage.require(world.areOnCoded([0, 1]), "the channel was lost with the session")
            stage.require(proofs < world.proofCount(of: 0), "the proof was not made anew")
        }
    }
}

extension World {
    fileprivate func counted(_ counter: ChannelCodeCounter, at node: Int) -> UInt64 {
        nodes[node].core?.codeCounters[counter] ?? 0
    }

    /// The proofs of channel codes that this life of a node has made.
    fileprivate func proofCount(of node: Int) -> UInt64 { counted(.channelProofs, at: node) }

    fileprivate func id(_ node: Int) -> NodeID { network.hosts[node].node }
}

/// Two nodes speak on a channel with a code. The carrier between them breaks while the last step of a proof is under
/// way, and their link stays up. So the node that began the proof has a tag of the channel that the other one lacks.
/// Both hear every word, before the next proof and after it.
package struct LostConfirmationsCostNoWord: DirectedScenario {
    package init() {}
    package static let promises = "V6"
    package var nodeCount: Int { 2 }
    package var speech: SpeechRule? { .onOrder }
    /// A step is under way for a while.
    package var rule: LinkRule { LinkRule(delayMin: .milliseconds(100), delayMean: .milliseconds(1)) }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1])
        let world = stage.world
        stage.joinCoded([0, 1])
        for talker in 0..<2 { stage.press(talker, knowing: [0, 1]) }
        stage.advance(.seconds(2))
        let beginner = world.id(0) < world.id(1) ? 1 : 0
        for _ in 0..<3 {
            world.listen(from: world.now, until: world.now + .seconds(12))
            let proofs = world.proofCount(of: beginner)
            world.apply(.resetCarriers(0, 1))
            stage.need("the proof at one side", within: .seconds(5)) { proofs < $0.proofCount(of: beginner) }
            world.apply(.resetCarriers(0, 1))
            stage.advance(.seconds(13))
            for (talker, listener) in [(0, 1), (1, 0)] {
                stage.requireHearing(of: talker, at: listener, permilleMin: 995, delayMax: .milliseconds(160))
            }
            stage.require(world.areOnCoded([0, 1]), "the channel was lost with a confirmation")
        }
    }
}

/// Three nodes join a channel with a code at one moment, so that their runs of JOIN cross. A fourth node joins it with
/// another code. One packet in five is lost, and all carriers break once a second. After the last break the three are
/// soon on the channel, and the fourth is not.
package struct LossKeepsNoCodesApart: DirectedScenario {
    package init() {}
    package static let promises = "V6, L18"
    package var nodeCount: Int { 4 }
    package var speech: SpeechRule? { .onOrder }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1, 2, 3])
        let world = stage.world
        var lossy = rule
        lossy.lossPermille = 200
        world.apply(.setAllRules(lossy))
        for node in 0..<4 { world.join(coded, code: node == 3 ? 2 : 1, of: node) }
        for _ in 0..<10 {
            stage.advance(.seconds(1))
            for a in 0..<4 { for b in 0..<a { world.apply(.resetCarriers(a, b)) } }
        }
        stage.need("proofs under loss", within: .seconds(12)) { $0.areOnCoded([0, 1, 2]) }
        world.setKey(1, to: KeyTargets(channels: [coded]), of: 0)
        stage.press(0, knowing: [0, 1, 2])
        world.listen(from: world.now, until: world.now + .seconds(2))
        stage.advance(.milliseconds(2_500))
        stage.requireHidden(from: [3], talker: 0)
    }
}

/// Two nodes are on a channel with a code. One of them takes another code, and cannot tell the other node so. The other
/// node still speaks by the last list that it got from the first one, and is not heard.
package struct FormerCodesAreNotHeard: DirectedScenario {
    package init() {}
    package static let promises = "V6"
    package var nodeCount: Int { 2 }
    package var speech: SpeechRule? { .onOrder }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1])
        let world = stage.world
        stage.joinCoded([0, 1])
        stage.press(0, knowing: [0, 1])
        stage.advance(.seconds(2))
        let unheard = world.nodes[1].core?.unplayed.notListened ?? 0
        world.apply(.cut(from: 1, to: 0))
        world.join(coded, code: 2, of: 1)
        world.listen(from: world.now, until: world.now + .seconds(2))
        stage.advance(.milliseconds(2_500))
        let heard = world.hearing(of: 0, at: 1)?.sounded ?? 0
        stage.require(heard == 0, "\(heard) frames sounded that were spoken by the former code")
        let dropped = (world.nodes[1].core?.unplayed.notListened ?? 0) - unheard
        stage.require(100 < dropped, "the other one spoke no more: \(dropped) packets")
    }
}

/// A member without the code of a channel guesses it in ever new sessions, each time with another code, and lets the
/// other nodes begin each run of JOIN. Each of the others compares three codes with the guesser, and then one in 30 s.
/// With the right code the guesser is on the channel soon.
package struct ChannelCodesAreGuessedSlowly: DirectedScenario {
    package init() {}
    package static let promises = "V6"
    package var nodeCount: Int { 3 }
    package var speech: SpeechRule? { .onOrder }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1, 2])
        let world = stage.world
        // The node with the greater id begins runs.
        let nodes = (0..<3).sorted { world.id($0) < world.id($1) }
        let (guesser, others) = (nodes[0], Array(nodes[1...]))
        stage.joinCoded(others)
        for guess in 0..<30 as Range<UInt8> {
            for other in others { world.apply(.resetCarriers(other, guesser)) }
            // Without a carrier it cannot begin a run itself.
            world.join(coded, code: 100 + guess, of: guesser)
            stage.advance(.seconds(2))
        }
        for other in others {
            let guesses = world.counted(.channelProofsFailed, at: other)
            stage.require(3...5 ~= guesses, "\(other) has compared \(guesses) codes in 60 s with one that guesses")
        }
        world.join(coded, code: 1, of: guesser)
        stage.need("the right code proved", within: .seconds(35)) { $0.areOnCoded([0, 1, 2]) }
    }
}

/// Nodes 0 and 1 have the code of a channel. They are on it again soon after each restart of node 1, and after each
/// partition. When node 1 then talks on the channel, node 0 hears it, and node 2, which does not have the code, is
/// shown nothing of the channel.
package struct CodedChannelsOutliveRestarts: DirectedScenario {
    package init() {}
    package static let promises = "V6"
    package var nodeCount: Int { 3 }
    package var speech: SpeechRule? { .onOrder }
    /// From the moment at which all are linked.
    private static let provedWithin = Interval.seconds(8)
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1, 2])
        let world = stage.world
        stage.joinCoded([0, 1])
        for _ in 0..<2 {
            world.apply(.kill(1))
            stage.advance(.seconds(1))
            stage.start([1])
            stage.needClique([0, 1, 2], within: SimLimits.convergenceMax)
            stage.need("the channel after a restart", within: Self.provedWithin) { $0.areOnCoded([0, 1]) }
            world.apply(.partition(0b010))
            stage.advance(.seconds(20))
            world.apply(.mendAll)
            stage.needClique([0, 1, 2], within: SimLimits.convergenceMax)
            stage.need("the channel after a partition", within: Self.provedWithin) { $0.areOnCoded([0, 1]) }
        }
        world.setKey(1, to: KeyTargets(channels: [coded]), of: 1)
        stage.press(1, knowing: [0, 1])
        stage.advance(.seconds(2))
        world.listen(from: world.now, until: world.now + .seconds(2))
        stage.advance(.milliseconds(2_500))
        stage.requireHearing(of: 1, at: 0, permilleMin: 995, delayMax: .milliseconds(60))
        stage.requireHidden(from: [2], talker: 1)
    }
}
