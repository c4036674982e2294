import Channels
import Primitives
import Voice

/// Two talk keys overlap in each order, and one follows the other within a frame. A listener of both channels hears
/// every word once. A listener of one channel hears what is said by the key of that channel, from the first frame to
/// the last, and nothing else. One frame in a hundred may be missing, because it came late.
package struct OverlappingKeysAreHeardWhole: DirectedScenario {
    package init() {}
    package static let promises = "V1, V2, V3"
    package var nodeCount: Int { 4 }
    package var speech: SpeechRule? {
        // Frames of two blocks, so that keys change also within a frame.
        var rule = SpeechRule(talkerCount: 1, profile: .normal)
        rule.keyCount = 2
        return rule
    }
    package func play(_ stage: DirectedStage) {
        let (first, second) = (KeySet.key(0), KeySet.key(1))
        stage.assemble([0, 1, 2, 3])
        stage.world.press([], of: 0)
        stage.advance(.seconds(1))
        for node in [2, 3] { stage.world.change(.join(ListeningEntry(SpeechRule.channel(1))), of: node) }
        stage.world.change(.part(SpeechRule.channel(0)), of: 3)
        stage.advance(.seconds(1))
        hear(stage, [first], at: [1, 2])
        hear(stage, [second], at: [2, 3])
        hear(stage, [[first, second]], at: [1, 2, 3])
        // The second key comes and goes while the first one is down, and the other way round.
        hear(stage, [first, [first, second]], at: [1, 2, 3])
        hear(stage, [second, [first, second]], at: [1, 2, 3])
        // One key goes up as the other goes down: at the same instant, and then with one frame (10 ms) between, in
        // which no key is down.
        hear(stage, [first, second], at: [1, 2, 3])
        hear(stage, [first, second], at: [1, 2, 3], gap: .milliseconds(10))
        requireEnds(stage, of: first, before: second)
    }

    /// Presses the second key 10 ms after the first one went up, while datagrams to a listener of the first key's
    /// channel are lost. The talker marks the end of its talk in three packets, so the listener seldom misses it.
    /// Without it, the listener waits half a second for more voice.
    private func requireEnds(_ stage: DirectedStage, of first: KeySet, before second: KeySet) {
        var lossy = rule
        lossy.lossPermille = 300
        stage.world.apply(.setRule(from: 0, to: 1, lossy))
        var missingCount = 0
        for _ in 0..<60 {
            stage.world.press(first, of: 0)
            stage.advance(.milliseconds(200))
            stage.world.press([], of: 0)
            stage.advance(.milliseconds(10))
            stage.world.press(second, of: 0)
            stage.advance(.milliseconds(200))
            if stage.world.voice(of: 1)?.statistics(of: 0)?.isTalking == true { missingCount += 1 }
            stage.advance(.milliseconds(600))
        }
        stage.require(missingCount <= 8, "1 waits for more after \(missingCount) of 60 ends")
    }

    /// Presses these keys in turn, 50 times each, and after each press none during `gap`. Judges whether the listeners
    /// hear 99 % of the frames that were said to them in that time, and the other nodes none.
    private func hear(_ stage: DirectedStage, _ turns: [KeySet], at listeners: [Int], gap: Interval = .zero) {
        let turn = Interval.milliseconds(75)
        stage.world.press(turns[0], of: 0)
        stage.advance(.milliseconds(200))
        stage.world.listen(from: stage.world.now, until: stage.world.now + (turn + gap) * Int64(50 * turns.count))
        for _ in 0..<50 {
            for keys in turns {
                stage.world.press(keys, of: 0)
                stage.advance(turn)
                guard .zero < gap else { continue }
                stage.world.press([], of: 0)
                stage.advance(gap)
            }
        }
        stage.world.press([], of: 0)
        stage.advance(.milliseconds(500))
        for listener in 1...3 {
            if listeners.contains(listener) {
                stage.requireHearing(of: 0, at: listener, permilleMin: 990, delayMax: .milliseconds(60))
            } else {
                let sounded = stage.world.hearing(of: 0, at: listener)?.sounded
                stage.require(sounded == 0, "\(listener) heard \(sounded ?? 0) frames that were said to others")
            }
        }
        stage.require(
            (0..<4).allSatisfy { stage.world.voice(of: $0)?.leftovers.isEmpty ?? false },
            "somebody waits for more after the end")
    }
}
