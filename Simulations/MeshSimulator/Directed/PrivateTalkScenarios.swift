import Channels
import Mesh
import Primitives
import Voice

/// Private talk is for its receiver alone: nobody else hears it, or is shown that somebody talks. A reply goes to the
/// node that was the caller when the key of the reply went down; later calls do not change that. A receiver that grants
/// no private talk hears none.
package struct PrivateTalkStaysPrivate: DirectedScenario {
    package init() {}
    package static let promises = "V1"
    package var nodeCount: Int { 3 }
    package var speech: SpeechRule? { SpeechRule(talkerCount: 0) }
    private static let key = KeySet.key(1)
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1, 2])
        let world = stage.world
        for caller in [0, 2] { world.setKey(1, to: KeyTargets(peers: [world.network.hosts[1].node]), of: caller) }
        world.setKey(1, to: KeyTargets(isReply: true), of: 1)
        world.setKey(2, to: KeyTargets(peers: [world.network.hosts[0].node]), of: 1)

        talk(0, to: [1], stage)
        // Something holds the reply back, and 2 calls meanwhile.
        world.holdBack(Self.key, of: 1)
        talk(2, to: [1], stage)
        talk(1, to: [0], stage)
        // The next reply of node 1 goes to node 2. While node 1 sends it, node 0 talks to node 1, the reply key goes up
        // and down, and another key goes down too. The reply still goes to node 2.
        world.press(Self.key, of: 1, to: SpokenTo(listeners: [2]))
        stage.advance(.milliseconds(300))
        talk(0, to: [1], stage)
        world.holdBack([], of: 1)
        world.holdBack(Self.key, of: 1)
        talk(1, by: [Self.key, .key(2)], to: [2, 0], shownTo: nil, stage)

        world.change(.grant(TalkGrants(privately: .nobody)), of: 1)
        world.press(Self.key, of: 0, to: SpokenTo(listeners: [1]))
        world.listen(from: world.now, until: world.now + .seconds(1))
        stage.advance(.milliseconds(1_500))
        let sounded = world.hearing(of: 0, at: 1)?.sounded
        stage.require(sounded == 0, "1 heard \(sounded ?? 0) frames of private talk that it does not grant")
    }

    private func talk(_ talker: Int, to listeners: [Int], _ stage: DirectedStage) {
        talk(talker, by: Self.key, to: listeners, shownTo: listeners, stage)
    }

    /// Lets a node talk for a second. These listeners must hear it, and no other node.
    /// - Parameter shownTo: the nodes that must be shown that it talks; nil if that is not judged.
    private func talk(
        _ talker: Int, by keys: KeySet, to listeners: [Int], shownTo: [Int]?, _ stage: DirectedStage
    ) {
        let (world, to) = (stage.world, SpokenTo(listeners: listeners))
        world.press(keys, of: talker, to: to)
        world.listen(from: world.now, until: world.now + .seconds(1))
        stage.advance(.seconds(1))
        let shown = (0..<3).filter { $0 != talker && world.isShownTalking(talker, at: $0) }
        stage.require(shown == shownTo ?? shown, "\(talker) talks to \(listeners), which is shown to \(shown)")
        world.press([], of: talker, to: to)
        stage.advance(.milliseconds(500))
        for observer in 0..<3 where observer != talker {
            if listeners.contains(observer) {
                // The first words may find a delay that is too short.
                stage.requireHearing(of: talker, at: observer, permilleMin: 950, delayMax: .milliseconds(60))
            } else {
                let sounded = world.hearing(of: talker, at: observer)?.sounded
                stage.require(sounded == 0, "\(observer) heard \(sounded ?? 0) frames of \(talker), said to others")
            }
        }
    }
}
