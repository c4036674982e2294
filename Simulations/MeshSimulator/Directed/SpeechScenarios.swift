import Mesh
import Primitives

/// Every node on a talker's channel hears every frame, soon. No other node hears any. When all are quiet, nothing
/// sounds.
package struct ChannelsAreHeardWhole: DirectedScenario {
    package init() {}
    package static let promises = "V1, V2, V3"
    package var nodeCount: Int { 6 }
    package var speech: SpeechRule? { .dense(talkers: 3, channels: 2) }
    package func play(_ stage: DirectedStage) {
        stage.assemble(Array(0..<6))
        stage.hear(for: .seconds(10))
        for talker in 0..<3 {
            for listener in 0..<6 where listener != talker {
                if stage.world.channel(of: listener) == stage.world.channel(of: talker) {
                    stage.requireHearing(of: talker, at: listener, permilleMin: 995, delayMax: .milliseconds(40))
                } else {
                    let sounded = stage.world.hearing(of: talker, at: listener)?.sounded
                    stage.require(sounded == 0, "\(listener) heard \(talker), which is on another channel")
                }
            }
        }
        stage.world.setMuted(true)
        stage.need("silence", within: SpeechWatch.silenceAfter) { world in
            (0..<6).allSatisfy { world.voice(of: $0)?.leftovers.isEmpty ?? false }
        }
        stage.advance(.seconds(1))
        stage.require(
            (0..<6).allSatisfy { stage.world.voice(of: $0)?.leftovers.isEmpty ?? false }, "sound after the silence")
    }
}

/// A talker sends earlier frames once more in later packets (copies), so that the frames of lost packets still arrive.
/// It sends as many copies as the reports of the listener ask for. The way back loses nothing, so the voice stays on
/// the direct path.
package struct LossIsCovered: DirectedScenario {
    package init() {}
    package static let promises = "V1"
    package var nodeCount: Int { 3 }
    package var speech: SpeechRule? { .dense(talkers: 1) }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1, 2])
        for listener in 1...2 { stage.world.apply(.setRule(from: 0, to: listener, rule.losingOneInFive)) }
        stage.requireHearingUnderLoss(permilleMin: 975, delayMax: .milliseconds(120))
    }
}

/// Every datagram of every node is lost with one chance in five. Now and then three heartbeats of a listener are lost
/// in a row. The talker then moves the voice to a carrier until an echo comes on the direct path again, for about a
/// second. Meanwhile the direct path takes the voice too, so no more is lost than by `LossIsCovered`.
package struct LossOnBothWaysIsBorne: DirectedScenario {
    package init() {}
    package static let promises = "V1"
    package var nodeCount: Int { 3 }
    package var speech: SpeechRule? { .dense(talkers: 1) }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1, 2])
        stage.world.apply(.setAllRules(rule.losingOneInFive))
        stage.requireHearingUnderLoss(permilleMin: 975, delayMax: .milliseconds(120))
    }
}

extension LinkRule {
    fileprivate var losingOneInFive: LinkRule {
        var lossy = self
        lossy.lossPermille = 200
        return lossy
    }
}

extension DirectedStage {
    /// Lets the talker 0 adapt to the loss for 10 s, and then judges what nodes 1 and 2 hear of it in 20 s.
    fileprivate func requireHearingUnderLoss(permilleMin: Int, delayMax: Interval) {
        advance(.seconds(10))
        hear(for: .seconds(20))
        for listener in 1...2 { requireHearing(of: 0, at: listener, permilleMin: permilleMin, delayMax: delayMax) }
    }
}

/// A listener whose process was paused does not hear the speech of that time. It hears later speech at once, with
/// hardly more delay than before. Pauses too short to end its links do not raise its delay.
package struct StoppedListenersHearAtOnce: DirectedScenario {
    package init() {}
    package static let promises = "V2"
    package var nodeCount: Int { 3 }
    package var speech: SpeechRule? { .dense(talkers: 1) }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1, 2])
        stage.advance(.seconds(3))
        // The listener's links go down and come back. The speech of that time is lost.
        stage.world.listen(
            from: stage.world.now + .milliseconds(200), until: stage.world.now + .milliseconds(2_900))
        stage.world.apply(.pause(2, for: .seconds(3)))
        stage.advance(.seconds(5))
        let meanwhile = stage.world.hearing(of: 0, at: 2)?.sounded ?? 0
        stage.require(meanwhile == 0, "\(meanwhile) frames sounded that were spoken while the listener stood still")
        stage.world.apply(.pause(2, for: .seconds(3)))
        stage.advance(.seconds(3))
        stage.hear(for: .seconds(5))
        stage.requireHearing(of: 0, at: 2, permilleMin: 900, delayMax: .milliseconds(80))
        // The listener's machine is short of processor time. No delay would have saved the frames that arrived during a
        // pause, so the listener must not increase its delay because of them.
        for _ in 0..<15 {
            stage.advance(.seconds(1))
            stage.world.apply(.pause(2, for: .milliseconds(60)))
            stage.advance(.milliseconds(60))
        }
        stage.hear(for: .seconds(3))
        stage.requireHearing(of: 0, at: 2, permilleMin: 990, delayMax: .milliseconds(40))
    }
}

/// A talker that has restarted is heard as soon as its link is up, whatever its listeners remember of the talker that
/// had the slot before.
package struct RestartedTalkersAreHeard: DirectedScenario {
    package init() {}
    package static let promises = "V1"
    package var nodeCount: Int { 3 }
    package var speech: SpeechRule? { .dense(talkers: 1) }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1, 2])
        stage.advance(.seconds(3))
        stage.world.apply(.kill(0))
        stage.advance(.seconds(2))
        stage.start([0])
        stage.needClique([0, 1, 2], within: .seconds(5))
        stage.hear(for: .seconds(5))
        for listener in 1...2 {
            stage.requireHearing(of: 0, at: listener, permilleMin: 970, delayMax: .milliseconds(40))
        }
    }
}

/// Voice through a neighbour takes another path, and sounds as well.
package struct NeighboursVoiceIsWhole: DirectedScenario {
    package init() {}
    package static let promises = "V1, L10"
    package var nodeCount: Int { 3 }
    package var speech: SpeechRule? { .dense(talkers: 1) }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1, 2])
        stage.advance(.seconds(3))
        stage.world.sever(0, 2)
        stage.advance(.milliseconds(2_500))
        stage.hear(for: .seconds(10))
        stage.requireHearing(of: 0, at: 2, permilleMin: 990, delayMax: .milliseconds(80))
        stage.world.join(0, 2)
        stage.advance(.seconds(15))
        stage.hear(for: .seconds(10))
        stage.requireHearing(of: 0, at: 2, permilleMin: 990, delayMax: .milliseconds(80))
    }
}

extension SpeechRule {
    /// Speech with hardly a pause.
    static func dense(talkers: Int, channels: Int = 1) -> SpeechRule {
        SpeechRule(talkerCount: talkers, channelCount: channels, pauseFor: .milliseconds(100))
    }
}

extension DirectedStage {
    /// Counts the frames that are spoken in this time, and those that sound, and waits until they have sounded.
    func hear(for length: Interval) {
        guard violation == nil else { return }
        world.listen(from: world.now, until: world.now + length)
        advance(length + .milliseconds(500))
    }

    /// - Parameter permilleMin: how many of 1,000 frames that were said to the listener must sound.
    /// - Parameter delayMax: from the last sample of a frame until it sounds.
    func requireHearing(of talker: Int, at listener: Int, permilleMin: Int, delayMax: Interval) {
        guard let hearing = world.hearing(of: talker, at: listener) else { return }
        require(100 < hearing.addressed, "\(talker) said \(hearing.addressed) frames to \(listener)")
        require(
            hearing.addressed * permilleMin <= hearing.sounded * 1_000,
            "\(listener) heard \(hearing.sounded) of \(hearing.addressed) frames of \(talker): "
                + world.account(of: talker, at: listener))
        require(
            hearing.delayMax <= delayMax,
            "\(listener) heard \(talker) up to \(hearing.delayMax) late: \(world.account(of: talker, at: listener))")
    }
}
