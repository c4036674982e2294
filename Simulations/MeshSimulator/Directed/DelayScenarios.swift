import Mesh
import Primitives
import Voice

/// Jitter raises the playout delay of a listener at once. When the network is calm again, the listener remembers the
/// jitter for half a minute. Then the delay falls by 2 ms a second.
package struct DelayFallsAfterJitter: DirectedScenario {
    package init() {}
    package static let promises = "V2"
    package var nodeCount: Int { 2 }
    package var speech: SpeechRule? { .endless() }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1])
        stage.advance(.seconds(15))
        let calm = SpeechWatch.settledDelayMax(frame: .milliseconds(5), over: rule)
        stage.hear(for: .seconds(5))
        stage.requireHearing(of: 0, at: 1, permilleMin: 998, delayMax: calm)
        var rough = rule
        rough.delayMean = .milliseconds(30)
        stage.world.apply(.setAllRules(rough))
        stage.hear(for: .seconds(10))
        var allowed = stage.world.hearing(of: 0, at: 1)?.delayMax ?? .zero
        stage.require(calm < allowed, "jitter of 30 ms cost nothing")
        stage.world.apply(.setAllRules(rule))
        stage.advance(.seconds(30))
        while calm < allowed, stage.violation == nil {
            allowed = max(calm, allowed - .milliseconds(10))
            stage.hear(for: .seconds(5))
            stage.requireHearing(of: 0, at: 1, permilleMin: 998, delayMax: allowed)
        }
    }
}

/// Packets are lost in bursts. Copies of frames travel later than most bursts last, so most frames of a burst are not
/// lost.
package struct RunsOfLossAreCovered: DirectedScenario {
    package init() {}
    package static let promises = "V1"
    package var nodeCount: Int { 2 }
    package var speech: SpeechRule? { .endless() }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1])
        var lossy = rule
        lossy.bursts = BurstLoss(goodMean: .milliseconds(285), badMean: .milliseconds(15), badLossPermille: 1_000)
        stage.world.apply(.setAllRules(lossy))
        stage.advance(.seconds(20))
        stage.hear(for: .seconds(60))
        // One packet of twenty is lost. If the packet of a frame is lost, a copy that travels two mean bursts later is
        // lost too in one case of six (0.05 + 0.95 · e^-2.1), a copy in the next packet in three cases of four.
        let delayMax = SpeechWatch.settledDelayMax(frame: .milliseconds(5), over: rule) + .milliseconds(45)
        stage.requireHearing(of: 0, at: 1, permilleMin: 988, delayMax: delayMax)
    }
}

/// From the first word on, each packet also has a copy of the frame in the packet before. So a frame is lost for good
/// only if two packets in a row are lost: the share of such frames is the square of the packet loss. The delay grows by
/// one packet.
package struct OneCopyIsThereAtOnce: DirectedScenario {
    package init() {}
    package static let promises = "V1, V2"
    package var nodeCount: Int { 2 }
    package var speech: SpeechRule? { .endless() }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1])
        stage.advance(.seconds(15))
        var lossy = rule
        lossy.lossPermille = 50
        stage.world.apply(.setAllRules(lossy))
        let delayMax = SpeechWatch.settledDelayMax(frame: .milliseconds(5), over: rule) + .milliseconds(5)
        for (seconds, missingMax) in [(2, 5), (20, 22)] {
            stage.hear(for: .seconds(Int64(seconds)))
            // Of 400 and of 4,000 frames, 1 and 10 are missing on average.
            guard let hearing = stage.world.hearing(of: 0, at: 1) else { return }
            let missing = hearing.spoken - hearing.sounded
            stage.require(missing <= missingMax, "\(missing) of \(hearing.spoken) frames are missing at 5 % loss")
            stage.require(hearing.delayMax <= delayMax, "a frame was \(hearing.delayMax) late at 5 % loss")
        }
    }
}

/// Two sound cards drift apart for twenty minutes while one node talks without a pause. No frame is lost by it, and the
/// delay stays.
package struct DriftCostsNoDelay: DirectedScenario {
    package init() {}
    package static let promises = "V2"
    package var nodeCount: Int { 2 }
    package var speech: SpeechRule? { .endless(profile: .normal, driftPartsPerMillionMax: 200) }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1])
        stage.hear(for: .seconds(1_200))
        let delayMax = SpeechWatch.settledDelayMax(frame: .milliseconds(10), over: rule)
        guard let hearing = stage.world.hearing(of: 0, at: 1) else { return }
        stage.require(119_000 < hearing.spoken, "\(hearing.spoken) frames in twenty minutes")
        stage.requireHearing(of: 0, at: 1, permilleMin: 999, delayMax: delayMax)
    }
}

/// Talk spurts are numbered with eight bits, so the numbers repeat after 256 spurts. Each spurt sounds all the same.
package struct SpurtsAreSeparate: DirectedScenario {
    package init() {}
    package static let promises = "V1"
    package var nodeCount: Int { 2 }
    package var speech: SpeechRule? {
        SpeechRule(talkerCount: 1, talkFor: .milliseconds(100), pauseFor: .milliseconds(100))
    }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1])
        stage.hear(for: .seconds(80))
        let delayMax = SpeechWatch.settledDelayMax(frame: .milliseconds(5), over: rule)
        stage.requireHearing(of: 0, at: 1, permilleMin: 998, delayMax: delayMax)
    }
}

/// A node that begins or ceases to talk sends a control block (the heartbeat message) at once, and not only when the
/// next one is due. Its peers show the change as soon as that control block arrives.
package struct TalkIsShownAtOnce: DirectedScenario {
    package init() {}
    package static let promises = "L5"
    package var nodeCount: Int { 4 }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1, 2, 3])
        for turn in 0..<8 {
            let (talker, isTalking) = (turn / 2, turn % 2 == 0)
            stage.world.handle(.talking(isTalking ? .everybody : .nobody), .command, 1, node: talker)
            let what = isTalking ? "talk of \(talker) shown" : "the end of \(talker)'s talk shown"
            stage.need(what, within: rule.delayMax) { world in
                (0..<4).allSatisfy { $0 == talker || world.isShownTalking(talker, at: $0) == isTalking }
            }
            stage.advance(.milliseconds(137))
        }
    }
}

extension World {
    /// Whether the observer's events say that the peer talks.
    func isShownTalking(_ peer: Int, at observer: Int) -> Bool {
        let slots = nodes[observer].slots
        guard let slot = slots.firstIndex(where: { $0?.peer == peer }) else { return false }
        return nodes[observer].reported[slot].isTalking
    }
}

extension SpeechRule {
    /// One talker without a pause.
    fileprivate static func endless(profile: VoiceProfile = .low, driftPartsPerMillionMax: UInt64 = 100) -> SpeechRule {
        SpeechRule(
            talkerCount: 1, profile: profile, talkFor: .seconds(100_000), pauseFor: .milliseconds(100),
            driftPartsPerMillionMax: driftPartsPerMillionMax)
    }
}
